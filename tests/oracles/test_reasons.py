"""The sentences that prove optima: exact ones for known groups, and counts that are true for random ones."""

import re
from random import Random

import pytest
from drawing import group

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.properties.partitions.owners import owners

T = TopicPartition


def words(text, of, level):
    return [w.partition(": ")[2] for w in compute_optimum(text, of).words if w.startswith(f"{level}: ")]


def test_balance_names_who_must_hold_much_and_who_can_get_little():
    of = Group(
        (Topic("big", 6), Topic("small", 1)),
        (Member("a", ("big",)), Member("b", ("big", "small")), Member("c", ("small",))),
    )
    assert compute_optimum("balance", of).values == {"balance": 2}
    assert words("balance", of, "balance") == [
        "6 partitions can only go to a and b, so one of them holds 3 or more",
        "c can get only 1 partition in all, so one of them holds 1 or fewer",
    ]


def test_a_remainder_is_said_to_be_one():
    of = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))
    assert words("balance", of, "balance") == [
        "3 partitions for 2 members leave a remainder, so the loads differ by one"
    ]


def test_racks_that_hold_more_than_their_members_can_take():
    of = Group(
        (Topic("t", 6, (("a",), ("a",), ("a",), ("a", "b"), ("b",), ("c",))),),
        (Member("m0", ("t",), rack="a"), Member("m1", ("t",), rack="b"), Member("m2", ("t",), rack="c")),
    )
    assert compute_optimum("balance,cross-rack", of).values == {"balance": 0, "cross-rack": 1}
    (why,) = words("balance,cross-rack", of, "cross-rack")
    assert why == (
        "partitions near only m0: 3; there is room for 2 there at the best balance, "
        "so at least 1 must be read across racks"
    )


def test_owners_that_hold_more_than_they_may_keep():
    of = Group(
        (Topic("t", 4), Topic("gone", 1)),
        (
            Member("a", ("t",), (T("t", 0), T("t", 1), T("t", 2), T("gone", 0))),
            Member("b", ("t",), (T("t", 3),)),
        ),
    )
    assert compute_optimum("balance,moves", of).values == {"balance": 0, "moves": 2}
    (why,) = words("balance,moves", of, "moves")
    assert why == (
        "partitions that only a may keep: 3; there is room for 2 there at the best balance, so at least 1 must move; "
        "partitions without readers: 1"
    )


@pytest.mark.parametrize("lot", range(4))
def test_every_level_has_its_sentence_and_its_numbers_are_true(lot):
    r = Random(lot)
    counted = 0
    for _ in range(150):
        of = group(r, members=6, topics=4, total=20)
        claims = owners(of)
        homes = {member.id: member.rack for member in of.members}
        for text in ("balance,moves", "balance,cross-rack"):
            found = compute_optimum(text, of)
            level = text.partition(",")[2]
            (why,) = [word for word in found.words if word.startswith(f"{level}: ")]
            match = re.search(r"only (.*?)(?: may keep)?: (\d+); there is room for (\d+)", why)
            if not match or "more members" in match[1] or "rack" in match[1]:
                continue
            counted += 1
            named = re.split(", | and ", match[1])
            only = 0
            for topic in of.topics:
                readers = [m.id for m in of.members if topic.name in m.topics]
                for p in topic if readers else ():
                    near = (
                        {rack for rack in topic.racks[p.partition] if rack is not None}
                        if topic.racks
                        else set()
                    )
                    free = (
                        [m for m in readers if not near or not homes[m] or homes[m] in near]
                        if level == "cross-rack"
                        else [m for m in readers if m in claims[p]]
                        if p in claims
                        else readers
                    )
                    only += not set(free) - set(named)
            held = sum(len(found.assignment[m]) for m in named)
            assert int(match[2]) >= only  # more where others are kept off by balance
            assert int(match[3]) >= held
            lost = re.search(r"without readers: (\d+)", why)
            assert int(match[2]) - int(match[3]) + (int(lost[1]) if lost else 0) == found.values[level]
    assert counted > 5
