"""The worst cases: what is tried out is everything, what is found is as bad as said, what grows is what doubles."""

from collections import Counter
from itertools import permutations

import pytest

from kassay.model import AssignorError, Group
from kassay.oracles.consumer.worst.exhausting import Space, exhaust_space, groups
from kassay.oracles.consumer.worst.growing import WAYS, grow
from kassay.oracles.consumer.worst.judging import judged
from kassay.oracles.consumer.worst.searching import search
from kassay.oracles.consumer.worst.worst import worst
from kassay.reference import ASSIGNORS


def to_the_first(group: Group):
    """Gives everything to the first subscriber."""
    given = {member.id: [] for member in group.members}
    for topic in group.topics:
        readers = [member.id for member in group.members if topic.name in member.topics]
        if readers:
            given[readers[0]] += list(topic)
    return given


def test_the_groups_of_a_space_are_all_there_are_once_each():
    space = Space(2, 3, topics=2, racks=2, mixed=True, claims=True)
    drawn = list(groups(space, 2, 3))
    assert len(set(drawn)) == len(drawn)
    homes, sets = 2**2, 3**3
    assert len(list(groups(Space(2, 3), 2, 3))) == 1
    assert len(list(groups(Space(2, 3, topics=2, mixed=True), 2, 3))) == 1 + 2 * (3 * 3 - 2)
    assert len(list(groups(Space(2, 3, claims=True), 2, 3))) == 3**3
    with_racks = list(groups(Space(2, 3, racks=2), 2, 3))
    assert len(with_racks) == len({canonical(group) for group in with_racks}) == homes * sets // 2
    assert len(drawn) == len(with_racks) * 27 * 15


def canonical(group):
    """The group with its racks renamed so that it is least."""

    def renamed(naming):
        home = tuple(naming[member.rack] for member in group.members)
        near = tuple(
            tuple(sorted(naming[rack] for rack in each)) for topic in group.topics for each in topic.racks
        )
        return home, near

    return min(renamed(dict(zip(("r0", "r1"), naming, strict=True))) for naming in permutations((0, 1)))


def test_everything_to_one_member_is_as_bad_as_there_are_partitions():
    done = exhaust_space(to_the_first, "balance", Space(3, 4))
    assert done.worst == {
        (m, p): None if m == 1 else done.worst[m, p] for m in range(1, 4) for p in range(1, 5)
    }
    assert {size: case.gap for size, case in done.worst.items() if case} == {
        (2, 2): 2, (2, 3): 2, (2, 4): 4, (3, 2): 1, (3, 3): 3, (3, 4): 3,
    }  # fmt: skip
    assert done.sentence == "no gap above 4 up to 3 members, 4 partitions and 1 topic"


def test_a_trial_that_was_cut_short_claims_only_what_it_did():
    space = Space(3, 3, topics=2, mixed=True, claims=True)
    whole = exhaust_space(to_the_first, "balance", space)
    short = exhaust_space(to_the_first, "balance", space, tries=200)
    assert short.tried == 200
    assert set(short.worst) < set(whole.worst)
    assert all(whole.worst[size] == case for size, case in short.worst.items())
    assert short.sentence != whole.sentence
    assert exhaust_space(to_the_first, "balance", space, tries=0).sentence == "nothing was tried out wholly"


def test_the_fair_assignor_is_unfair_at_three_members_and_three_partitions_and_no_smaller():
    """KIP-49's greedy choice gives 2, 1 and 0 where 1, 1 and 1 is possible."""
    done = exhaust_space(ASSIGNORS["consumer/fair"].assign, "balance", Space(3, 3, topics=3, mixed=True))
    assert [size for size, case in done.worst.items() if case] == [(3, 3)]
    case = done.worst[3, 3]
    assert (case.value, case.optimum) == (2, 0)
    assert exhaust_space(ASSIGNORS["consumer/fair"].assign, "balance", Space(3, 4)).sentence.startswith(
        "no gap above 0"
    )


@pytest.mark.parametrize("text", ["balance", "balance,moves", "balance,cross-rack"])
def test_a_search_finds_what_is_as_bad_as_it_says_and_the_same_again(text):
    found = search(to_the_first, text, seed=1, tries=240, members=4, partitions=8)
    assert found.worst
    gaps = [case.gap for case in found.worst]
    assert gaps == sorted(set(gaps), reverse=True)
    assert all(judged(to_the_first, text, case.group) == case for case in found.worst)
    assert found == search(to_the_first, text, seed=1, tries=240, members=4, partitions=8)


def test_what_cannot_be_judged_is_skipped():
    def refuses(_):
        raise AssignorError("no")

    def forgets(group):
        return {member.id: [] for member in group.members}

    space = Space(2, 2)
    for assign in (refuses, forgets):
        done = exhaust_space(assign, "balance", space)
        assert (done.tried, done.skipped) == (4, 4)
        assert not any(done.worst.values())


def test_growth_doubles_what_it_says():
    group = exhaust_space(to_the_first, "balance", Space(2, 2, racks=2, claims=True)).worst[2, 2].group
    factors = {"partitions": (1, 2), "topics": (1, 2), "members": (2, 1), "members and partitions": (2, 2)}
    for way, times in WAYS.items():
        larger = times(group, 4)
        members, partitions = factors[way]
        assert len(larger.members) == (8 if members == 2 else 2)
        assert sum(t.partitions for t in larger.topics) == (8 if partitions == 2 else 2)
        claims = Counter(p for member in larger.members for p in member.owned)
        assert all(count == 1 for count in claims.values())
    growth = {each.way: each for each in grow(to_the_first, "balance", group, partitions=64, members=16)}
    assert [case.value for case in growth["partitions"].cases] == [2, 4, 8, 16, 32, 64]
    assert growth["partitions"].bounded is False
    assert growth["members"].bounded is True


def test_the_whole_of_it_says_what_it_found():
    said = list(worst(ASSIGNORS["consumer/sticky"].assign, "balance", tries=400).sentences)
    assert said[0].startswith("no gap above ")
    assert all(": " in sentence or "no gap" in sentence for sentence in said)
    assert list(worst(to_the_first, "balance", tries=100).sentences)[1].startswith("gap ")
