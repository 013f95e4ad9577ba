"""Gaps and explanations: true of any assignment, with the fewest moves that make it optimal."""

from itertools import product
from random import Random

import pytest
from drawing import assignment, group

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.answers import NO_COUNT, Far, describe_gaps
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optima import compute_gaps, explain, find_moves_to_optimum
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure

T = TopicPartition
TEXTS = ["balance", "balance,moves", "balance,cross-rack", "moves", "cross-rack,balance"]


def made(given, moves):
    after = {member: list(partitions) for member, partitions in given.items()}
    for move in moves:
        after[move.giver].remove(move.partition)
        after[move.taker].append(move.partition)
    return after


@pytest.mark.parametrize("lot", range(4))
def test_the_moves_lead_to_an_optimum_and_no_fewer_do(lot):
    r = Random(lot)
    for number in range(60):
        of = group(r, members=3, topics=2, total=5)
        given = assignment(r, of)
        text = TEXTS[number % len(TEXTS)]
        best = compute_optimum(text, of).values
        moves = find_moves_to_optimum(text, of, given)
        assert remeasure(of, made(given, moves), parse_question(text)) == best
        assert len(moves) == fewest(of, given, text, best)


def fewest(of, given, text, best):
    owner = {p: member for member, partitions in given.items() for p in partitions}
    readers = [[m.id for m in of.members if p.topic in m.topics] for p in owner]
    differences = []
    for way in product(*readers):
        other = {member: [p for p, m in zip(owner, way, strict=True) if m == member] for member in given}
        if remeasure(of, other, parse_question(text)) == best and squares_are_least(of, other, text):
            differences.append(sum(m != owner[p] for p, m in zip(owner, way, strict=True)))
    return min(differences)


def squares_are_least(of, other, text):
    if "balance" not in text:
        return True
    best = compute_optimum(text, of).assignment
    return sorted(map(len, other.values())) == sorted(map(len, best.values()))


def test_an_explanation_names_the_moves_and_why_no_more():
    of = Group(
        (Topic("t0", 2), Topic("t1", 3)),
        (Member("a", ("t0", "t1")), Member("b", ("t0", "t1")), Member("c", ("t0",))),
    )
    given = {"a": [T("t1", 0), T("t1", 1), T("t1", 2)], "b": [T("t0", 0), T("t0", 1)], "c": []}
    assert explain(of, given) == [
        "1 or 2 partitions each are possible; a spread excess of 3, where 0 would do: hand t0-1 from b to c and t1-2 from a to b."
    ]


def test_of_a_level_that_is_not_least_a_count_says_why_nothing_less_is():
    of = Group(
        (Topic("t", 4),), (Member("a", ("t",), tuple(T("t", n) for n in range(4))), Member("b", ("t",)))
    )
    given = {"a": [T("t", 0), T("t", 1)], "b": [T("t", 2), T("t", 3)]}
    assert explain(of, given) == []
    moved = {"a": given["b"], "b": given["a"]}
    assert explain(of, moved) == []
    far = Group(of.topics, (Member("a", ("t",), (T("t", 0), T("t", 1), T("t", 2))), of.members[1]))
    crossed = {"a": [T("t", 2), T("t", 3)], "b": [T("t", 0), T("t", 1)]}
    said, why = explain(far, crossed)
    assert said.startswith("2 moves, where 1 would do: hand ")
    assert why == (
        "Nothing less is possible: partitions that only a may keep: 3; there is room for 2 there at the best balance, "
        "so at least 1 must move."
    )


def test_levels_that_one_handing_over_puts_right_are_told_once():
    loads, moves, reads = (LEVELS[name].words for name in ("balance", "moves", "cross-rack"))
    same = ("t-0 from a to b",)
    told = [
        Far(loads, 2, 0, same),
        Far(moves, 0, 0, same),
        Far(reads, 3, 1, same),
        Far(reads, 3, 1, same, given=" here"),
    ]
    assert describe_gaps(told) == [
        "Loads are 2 apart, where 0 is possible; 3 reads across racks, where 1 would do: hand t-0 from a to b."
    ]
    assert describe_gaps([Far(loads, 1, 1, same)]) == ["Loads can be more even: hand t-0 from a to b."]
    assert describe_gaps([Far(moves, 2, 1, same, f"fewer do not do, {NO_COUNT}"), Far(moves, 2, 1, (), given=" here")]) == [
        "2 moves, where 1 would do: hand t-0 from a to b.", "2 moves, where 1 would do here.",
    ]  # fmt: skip


def test_a_wrong_assignment_is_measured_and_not_mended():
    of = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ())))
    given = {"a": [T("t", 0)], "b": [T("t", 1)], "stranger": [T("t", 7)]}
    assert find_moves_to_optimum("balance", of, given) is None
    assert [each.over for each in compute_gaps(compute_optimum("balance,moves", of), of, given)] == [0, 0]
    assert explain(of, given) == []


def test_a_gap_may_be_below_nothing_only_where_an_earlier_level_is_worse():
    of = Group(
        (Topic("t", 4),),
        (Member("a", ("t",), (T("t", 0), T("t", 1), T("t", 2), T("t", 3))), Member("b", ("t",))),
    )
    balance, moves = compute_gaps(
        compute_optimum("balance,moves", of), of, {"a": list(Topic("t", 4)), "b": []}
    )
    assert (balance.value, balance.optimum, balance.over) == (4, 0, 4)
    assert (moves.value, moves.optimum, moves.over) == (0, 2, -2)
