"""Trying out every group of a space: nothing is left out, nothing is tried twice, the worst is found."""

from collections import Counter
from itertools import combinations, product

import pytest
from drawing import to_the_first

from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.worst_case import KIND, build_group, judge
from kassay.oracles.worst_case import Space, enumerate_groups, enumerate_problems, exhaust_space
from kassay.reference import ASSIGNORS


def plain(space, members, partitions):
    """Every group of a space, counted out without any thought of symmetry."""
    numbers = range(max(1, space.parts))
    for topics in range(1, min(space.parts, partitions) + 1):
        names = [f"t{t}" for t in range(topics)]
        some = [c for n in numbers for c in combinations(names, n + 1)] if space.mixed else [tuple(names)]
        racks = [f"r{r}" for r in range(space.racks)]
        near = [c for n in range(len(racks)) for c in combinations(racks, n + 1)] or [None]
        for topic_of in product(range(topics), repeat=partitions):
            counts = Counter(topic_of)
            if list(topic_of) != sorted(topic_of) or len(counts) < topics:
                continue
            every = [TopicPartition(names[t], n) for t in range(topics) for n in range(counts[t])]
            for reads in product(some, repeat=members):
                if {name for read in reads for name in read} != set(names):
                    continue
                for homes in product(racks or [None], repeat=members):
                    for replicas in product(near, repeat=partitions):
                        for owners in product(range(-1, members if space.claims else 0), repeat=partitions):
                            of = dict(zip(every, zip(replicas, owners, strict=True), strict=True))
                            yield Group(
                                tuple(
                                    Topic(name, counts[t], tuple(of[p][0] for p in every if p.topic == name) if racks else None)
                                    for t, name in enumerate(names)
                                ),
                                tuple(
                                    Member(
                                        f"m{m}", read, tuple(p for p in every if of[p][1] == m),
                                        1 if max(owners) >= 0 else None, None, home,
                                    )
                                    for m, (read, home) in enumerate(zip(reads, homes, strict=True))
                                ),
                            )  # fmt: skip


SPACES = [
    (Space(KIND, 3, 4), 3, 4),
    (Space(KIND, 3, 3, parts=3, mixed=True), 3, 3),
    (Space(KIND, 2, 2, parts=2, racks=2, mixed=True, claims=True), 2, 2),
    (Space(KIND, 3, 3, parts=2, claims=True), 3, 3),
    (Space(KIND, 3, 2, parts=2, racks=3), 3, 2),
]


@pytest.mark.parametrize(("space", "members", "partitions"), SPACES)
def test_problems_under_all_names_are_all_groups_there_are_once_each(space, members, partitions):
    found = list(enumerate_problems(space, members, partitions))
    spread = [one for problem in found for one in enumerate_groups(space, problem)]
    expected = list(plain(space, members, partitions))
    assert len(spread) == len(set(spread)) == len(expected)
    assert set(spread) == set(expected)
    assert len(found) < len(expected) or space == Space(KIND, 3, 4)


@pytest.mark.parametrize("text", ["balance", "balance,moves", "balance,cross-rack"])
def test_groups_that_are_one_problem_have_one_optimum(text):
    space = Space(KIND, 2, 3, parts=2, racks=2, mixed=True, claims=True)
    optimum = judge(to_the_first, text).optimum
    every = list(enumerate_problems(space, 2, 3))
    for problem in every[:: len(every) // 20]:
        assert {optimum(one) for one in enumerate_groups(space, problem)} == {optimum(build_group(problem))}


@pytest.mark.parametrize(
    "text", ["balance", "balance,moves", "balance,cross-rack", "co-partition,cross-rack"]
)
@pytest.mark.parametrize("name", ["consumer/range", "consumer/sticky"])
def test_exhaustion_finds_what_asking_every_group_finds(name, text):
    asked = judge(ASSIGNORS[name].assign, text)
    space = Space(
        KIND, 2, 3, parts=2, racks=2 * ("rack" in text), mixed="rack" not in text, claims="moves" in text
    )
    done = exhaust_space(asked, space)
    every = 0
    for members, partitions in product((1, 2), (1, 2, 3)):
        cases = [asked.score(one) for one in plain(space, members, partitions)]
        every += len(cases)
        largest = max(case.gap for case in cases if case)
        case = done.worst[members, partitions]
        assert (case.gap if case else 0) == max(0, largest)
        assert case is None or asked.score(case.group) == case
    assert done.tried == every
    assert done.problems <= every / 2


def test_everything_to_one_member_is_as_bad_as_there_are_partitions():
    done = exhaust_space(judge(to_the_first, "balance"), Space(KIND, 3, 4))
    assert done.worst == {
        (m, p): None if m == 1 else done.worst[m, p] for m in range(1, 4) for p in range(1, 5)
    }
    assert {size: case.gap for size, case in done.worst.items() if case} == {
        (2, 2): 2, (2, 3): 2, (2, 4): 4, (3, 2): 1, (3, 3): 3, (3, 4): 3,
    }  # fmt: skip
    assert done.sentence == (
        "no worse up to 3 members x 4 partitions, 1 topic: the largest gap is 4 (4 for 0), and the smallest group with "
        "one has 2 members, 2 partitions and 1 topic (12 groups: 12 problems under every arrangement of names and numbers)"
    )


def test_a_trial_that_was_cut_short_claims_only_what_it_did():
    space = Space(KIND, 3, 3, parts=2, mixed=True, claims=True)
    whole = exhaust_space(judge(to_the_first, "balance"), space)
    short = exhaust_space(judge(to_the_first, "balance"), space, tries=200)
    assert short.tried == 200
    assert set(short.worst) < set(whole.worst)
    assert all(whole.worst[size] == case for size, case in short.worst.items())
    assert short.sentence != whole.sentence
    assert exhaust_space(judge(to_the_first, "balance"), space, tries=0).sentence.startswith(
        "nothing was tried out"
    )


def test_the_fair_assignor_is_unfair_at_three_members_and_three_partitions_and_no_smaller():
    """KIP-49's greedy choice gives 2, 1 and 0 where 1, 1 and 1 is possible."""
    done = exhaust_space(
        judge(ASSIGNORS["consumer/fair"].assign, "balance"), Space(KIND, 3, 3, parts=3, mixed=True)
    )
    assert [size for size, case in done.worst.items() if case] == [(3, 3)]
    case = done.worst[3, 3]
    assert (case.value, case.optimum) == (2, 0)


@pytest.mark.parametrize(
    ("name", "text", "space", "said"),
    [
        ("fair", "balance", Space(KIND, 3, 4), "3 members x 4 partitions, 1 topic: never above the optimum"),
        (
            "range", "balance,cross-rack", Space(KIND, 2, 3, parts=2, racks=2),
            "2 members x 3 partitions, 2 racks, 2 topics: ",
        ),
    ],
)  # fmt: skip
def test_the_sentence_names_the_space(name, text, space, said):
    done = exhaust_space(judge(ASSIGNORS[f"consumer/{name}"].assign, text), space, 10_000)
    assert done.sentence.startswith(f"no worse up to {said}")


def test_what_cannot_be_judged_is_skipped():
    def refuses(_):
        raise AssignorError("no")

    def forgets(group):
        return {member.id: [] for member in group.members}

    space = Space(KIND, 2, 2)
    for assign in (refuses, forgets):
        done = exhaust_space(judge(assign, "balance"), space)
        assert (done.tried, done.skipped) == (4, 4)
        assert not any(done.worst.values())
        assert done.sentence.startswith("nothing could be compared up to 2 members x 2 partitions, 1 topic (")
