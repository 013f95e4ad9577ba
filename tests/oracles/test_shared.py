"""Several copies, each partition to as many members as a share group wants: optima, gaps, moves and certificates of these."""

from dataclasses import replace
from itertools import combinations, product
from random import Random

import pytest
from drawing import asking
from second_opinions.every_assignment import exhaust
from verifying import SCHEMA, all_proved

from kassay.families.share import SHARE
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.optima import find_moves_to_optimum
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.properties.partitions.owners import subscribers, wanted_copies
from kassay.reference import ASSIGNORS

T = TopicPartition
FOUR = Group((Topic("t", 3),), tuple(Member(f"m{n}", ("t",)) for n in range(4)))
MIXED = Group(
    (Topic("t", 1), Topic("u", 4, unassignable=(3,))),
    (
        Member("a", ("t",), (T("t", 0),)),
        Member("b", ("t", "u"), (T("t", 0), T("u", 0), T("u", 1), T("u", 2), T("u", 3))),
        Member("c", ("u",)),
    ),
)


def test_each_partition_goes_to_as_many_as_there_are_for_each():
    assert wanted_copies(FOUR) == {"t": 2}
    assert wanted_copies(MIXED) == {"t": 2, "u": 1}
    best = compute_optimum("shared", MIXED)
    assert best.values == {"balance": 1, "moves": 3, "cross-rack": 0}
    assert sorted(map(len, best.assignment.values())) == [1, 2, 2]
    assert T("u", 3) not in [p for given in best.assignment.values() for p in given]


def test_gaps_are_those_of_groups_with_more_members_than_partitions():
    oracles = SHARE.oracles
    even = {"m0": [T("t", 0), T("t", 1)], "m1": [T("t", 0), T("t", 2)], "m2": [T("t", 1)], "m3": [T("t", 2)]}
    uneven = {
        "m0": [T("t", 0), T("t", 1), T("t", 2)],
        "m1": [T("t", 0)],
        "m2": [T("t", 1)],
        "m3": [T("t", 2)],
    }
    assert [(gap.level, gap.over) for gap in oracles.gaps(FOUR, even)] == [
        ("balance", 0), ("moves", 0), ("cross-rack", 0),
    ]  # fmt: skip
    assert oracles.gaps(FOUR, uneven)[0].over == 1
    assert oracles.optima(FOUR).least == oracles.programmed(FOUR)
    lost = even | {"m3": []}
    assert oracles.gaps(FOUR, lost) == ()  # a copy is missing, so it is compared with nothing
    assert oracles.explain(FOUR, uneven)[0] == "1 or 2 partitions each are possible: hand t-2 from m0 to m1."


def test_who_owned_a_copy_and_keeps_it_does_not_move():
    owned = replace(FOUR, members=tuple(replace(m, owned=(T("t", 0),)) for m in FOUR.members))
    assert compute_optimum("shared,moves", owned).values == {"moves": 2}
    assert SHARE.measures["moves"](owned, {"m0": [T("t", 0)], "m1": [T("t", 0), T("t", 1)]}) == 2
    assert SHARE.measures["kept"](owned, {"m0": [T("t", 0)], "m1": [T("t", 0), T("t", 1)]}) == 2


@pytest.mark.parametrize("lot", range(3))
def test_the_moves_lead_to_an_optimum_and_no_fewer_do(lot):
    r, tried = Random(lot), 0
    while tried < 25:
        of = asking(r, "shared")
        ways = list(_ways(of))
        if not 1 < len(ways) <= 400:
            continue
        tried += 1
        given = r.choice(ways)
        text = r.choice(["shared,balance", "shared,balance,moves", "shared,balance,cross-rack"])
        moves = find_moves_to_optimum(text, of, given)
        after = {member: set(partitions) for member, partitions in given.items()}
        for move in moves:
            after[move.giver].remove(move.partition)
            after[move.taker].add(move.partition)
        best = exhaust(of, parse_question(text))[0]
        assert _values(of, after, text) == best
        assert len(moves) == min(
            sum(len(given[m] - way[m]) for m in way) for way in ways if _values(of, way, text) == best
        )


def _ways(of):
    copies, readers = wanted_copies(of), subscribers(of)
    places = [
        combinations(readers[topic.name], 0 if p.partition in topic.unassignable else copies[topic.name])
        for topic in of.topics
        for p in topic
    ]
    every = [p for topic in of.topics for p in topic]
    for picked in product(*places):
        chosen = list(zip(every, picked, strict=True))
        yield {m.id: {p for p, holders in chosen if m.id in holders} for m in of.members}


def _values(of, given, text):
    asked = parse_question(text)
    told = remeasure(of, given, asked) | {"balance": sum(len(each) ** 2 for each in given.values())}
    return tuple(told[level] for level in asked.levels)


@pytest.mark.parametrize("family", ["share", "broker"])
def test_the_checker_takes_what_the_command_prints(family, tmp_path, capsys):
    asked = "shared" if family == "share" else "balance,moves,cross-rack"
    groups = [{"family": family, **SHARE.shape.write_group(of)} for of in (FOUR, MIXED)]
    all_proved(tmp_path, asked, groups, SCHEMA, capsys)


def test_kafkas_own_assignor_is_compared_also_where_partitions_are_shared():
    answer = ASSIGNORS["share/simple"].assign(FOUR)
    assert [gap.over for gap in SHARE.oracles.gaps(FOUR, answer)] in ([0, 0, 0], [])
