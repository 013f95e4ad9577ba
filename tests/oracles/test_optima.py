"""Optima found once for a group judge every answer as the invariants and measures do, and are those of the questions."""

from itertools import permutations
from random import Random

import numpy as np
import pytest
from consumers import CONSUMERS
from drawing import assignment, group, synthetic
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.families.consumer import CONSUMER
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.certificates import is_proof
from kassay.oracles.assignment.flow.exact import Solution, solve_each
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions import optima as file
from kassay.oracles.partitions.encoding import encode_group
from kassay.oracles.partitions.levels import compared
from kassay.oracles.partitions.optima import compute_optima, compute_ordered_optima
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question
from kassay.properties.consumer import INVARIANTS, MEASURES
from kassay.properties.partitions.strategies import groups

WHOLE = ("complete", "exclusive", "subscribed", "existing")


def reached(known, answer):
    """What an answer is worth, None where it is not complete and legal."""
    return tuple(gap.value for gap in known.gaps(answer)) or None


def measured(of, answer):
    """What the family's own functions say: None where an invariant is broken."""
    if any(violation for name in WHOLE for violation in INVARIANTS[name](of, answer)):
        return None
    return tuple(MEASURES[name](of, answer) for name in ("imbalance", "moves", "cross_rack", "topic_excess"))


@settings(max_examples=share(40, 150), deadline=None)
@given(groups(), st.sampled_from(sorted(CONSUMERS)))
def test_answers_are_judged_as_invariants_and_measures_judge_them(of, name):
    known = compute_optima(of)
    assert tuple(known.least.values()) == (
        compute_optimum("balance", of).levels[0].value,
        compute_optimum("balance,moves", of).levels[1].value,
        compute_optimum("balance,cross-rack", of).levels[1].value,
        compute_optimum("balance,topic-spread", of).levels[1].value,
    )
    try:
        answer = CONSUMERS[name].assign(of)
    except AssignorError:
        return
    assert reached(known, answer) == measured(of, answer)


ASKED = [parse_question(f"balance,{level}") for level in compared()[1:]]
IN_ORDER = [",".join(levels) for n in (1, 2, 3) for levels in permutations(compared(), n)]


@settings(max_examples=share(40, 150), deadline=None)
@given(groups(), st.sampled_from(IN_ORDER))
def test_optima_in_any_order_are_those_of_the_question(of, asked):
    known, answer = compute_ordered_optima(of, parse_question(asked)), compute_optimum(asked, of)
    assert list(known.least.items()) == [(level.name, level.value) for level in answer.levels]
    assert [(gap.level, gap.over) for gap in known.gaps(answer.assignment)] == [
        (level, 0) for level in asked.split(",")
    ]


@pytest.mark.parametrize("asked", ["redundancy", "co-partition", "copies=2,moves"])
def test_optima_of_a_contract_are_refused(asked):
    of = Group((Topic("t", 4),), (Member("a", ("t",)), Member("b", ("t",))))
    with pytest.raises(ImpossibleError, match=r"has a contract. Name levels only"):
        compute_ordered_optima(of, parse_question(asked))


@pytest.mark.parametrize("lot", range(4))
def test_spoilt_answers_are_told_from_whole_ones(lot):
    r = Random(lot)
    spoilt = 0
    for _ in range(60):
        of = group(r)
        known, answer = compute_optima(of), assignment(r, of)
        assert reached(known, answer) == measured(of, answer) is not None
        every = [p for topic in of.topics for p in topic] + [
            TopicPartition("gone", 0),
            TopicPartition("t0", 9),
        ]
        for _ in range(6):
            changed = {member: list(partitions) for member, partitions in answer.items()}
            where = changed.setdefault(r.choice([*changed, "stranger"]), [])
            if where and r.random() < 0.4:
                where.pop(r.randrange(len(where)))
            if r.random() < 0.8:
                where.append(r.choice([*every, *where]))
            # The invariants do not look at strangers, and the oracles do not accept them.
            expected = None if changed.get("stranger") else measured(of, changed)
            assert reached(known, changed) == expected
            spoilt += expected is None
    assert spoilt > 100


def test_the_record_of_the_family_gives_gaps_of_it():
    of = Group((Topic("t", 4),), (Member("a", ("t",), (TopicPartition("t", 0),)), Member("b", ("t",))))
    known = CONSUMER.oracles.optima(of)
    assert known.least == {"balance": 0, "moves": 0, "cross-rack": 0, "topic-spread": 0}
    answer = {"a": [], "b": list(of.topics[0])}
    gaps = known.gaps(answer)
    assert [(gap.level, gap.value, gap.optimum) for gap in gaps] == [
        ("balance", 4, 0), ("moves", 1, 0), ("cross-rack", 0, 0), ("topic-spread", 4, 0),
    ]  # fmt: skip
    assert CONSUMER.oracles.gaps(of, answer) == gaps
    assert known.gaps({"a": []}) == ()


def test_large_groups_are_evened_once_and_both_questions_proved(monkeypatch):
    of, evened = synthetic(20_000, 300, 20), []
    even = solve_each.__globals__["_balance_loads"]
    monkeypatch.setitem(
        solve_each.__globals__, "_balance_loads", lambda problem: evened.append(1) or even(problem)
    )
    solutions = solve_each(of, [asked.levels for asked in ASKED])
    assert len(evened) == 1
    for asked, solution in zip(ASKED, solutions, strict=True):
        assert is_proof(of, asked.levels, solution.owners, solution.prices)


def test_what_the_prices_do_not_prove_is_refused(monkeypatch):
    of = Group((Topic("t", 4),), (Member("a", ("t",)), Member("b", ("t",))))

    def unproved(problem, questions, _):
        return [Solution(s.owners, Prices(s.prices.rows * 0 - 7)) for s in solve_each(problem, questions)]

    monkeypatch.setattr(file, "solve_each", unproved)
    with pytest.raises(UnsolvedError, match="do not prove"):
        compute_optima(of)
    bad = [
        Solution(np.zeros((4, 1), int), s.prices)
        for s in solve_each(encode_group(of, ASKED[0])[0].problem, [asked.levels for asked in ASKED])
    ]
    monkeypatch.setattr(file, "solve_each", lambda *_: bad)
    with pytest.raises(UnsolvedError, match="do not prove"):
        compute_optima(of)
