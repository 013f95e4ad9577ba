"""Proofs over time: prices, cases where prices alone do not do, and that wrong proofs prove nothing."""

from dataclasses import replace
from random import Random

import pytest
from whole import cases

from kassay.model import Group, Member, Topic
from kassay.oracles.assignment import sequence_optimum as over
from kassay.oracles.assignment.sequence import compute_costs, compute_weights, is_feasible
from kassay.oracles.assignment.sequence_optimum import (
    SCALE,
    Prices,
    Program,
    Split,
    compute_bound,
    is_proof,
    solve,
)
from kassay.oracles.errors import TooLargeError
from kassay.oracles.partitions.over_time import encode
from kassay.oracles.partitions.question import parse_question

READ = [["02", "013", "03", "123"], ["013", "023", "123", "123"], ["23", "023", "0", "3"]]
"""Which of four topics of one partition each of four members reads, at three rebalances: the flow in parts costs less than 5."""


def sequence(read, partitions=1):
    """Return the sequence of groups that differ in what members read."""
    stages = [
        Group(
            tuple(Topic(f"t{n}", partitions) for n in range(4)),
            tuple(Member(f"m{n}", tuple(f"t{t}" for t in topics)) for n, topics in enumerate(stage)),
        )
        for stage in read
    ]
    return encode(stages, parse_question("balance,moves")).sequence


def leaves(proof):
    """Return the prices of all cases."""
    return [proof] if isinstance(proof, Prices) else leaves(proof.fewer) + leaves(proof.more)


def test_a_flow_in_parts_can_cost_less_than_every_whole_one_and_cases_prove_it():
    of = sequence(READ)
    weigh = compute_weights(of)
    parts = Program(of, weigh).solve_fractions({}, 5)
    assert parts.split is not None
    assert compute_bound(of, weigh, parts.prices, {}) == 4
    best = solve(of)
    assert best.values == best.least == (5,)
    assert is_proof(of, weigh, best.proofs[0].proof, 5)
    assert not is_proof(of, weigh, best.proofs[0].proof, 6)


@pytest.mark.parametrize("seed", cases(20, 1000))
def test_whatever_the_prices_nothing_below_the_optimum_is_refuted(seed):
    r = Random(seed)
    read = [["".join(sorted(r.sample("0123", r.randint(1, 4)))) for _ in range(3)] for _ in range(3)]
    of = sequence(read, r.randint(1, 3))
    best = solve(of)
    assert best.values is not None
    assert best.values == best.least
    assert is_feasible(of, best.flow)
    assert compute_costs(of, best.flow) == best.values
    rows = tuple(tuple(r.randint(-SCALE, SCALE) for _ in step.low) for step in of.steps)
    assert compute_bound(of, compute_weights(of), Prices(rows), {}) <= best.values[0]


def test_a_proof_that_leaves_out_a_case_or_invents_a_bound_proves_nothing():
    of = sequence(READ)
    weigh = compute_weights(of)
    rows = leaves(solve(of).proofs[0].proof)[0].rows
    place = (2, 0, 0)
    invented = Prices(rows, {place: -10 * SCALE})
    assert not is_proof(of, weigh, invented, 1)
    assert not is_proof(of, weigh, Split(place, 0, invented, Prices(rows)), 6)


def test_a_flow_that_breaks_a_rule_does_not_fit():
    of = sequence(READ)
    flow = solve(of).flow
    for n in range(len(flow)):
        more = [on.copy() for on in flow]
        more[n][0, 0] += 1
        assert not is_feasible(of, tuple(more))
    full = replace(of.steps[0], high=of.steps[0].high * 0)
    assert not is_feasible(replace(of, steps=(full, *of.steps[1:])), flow)


def test_prices_beyond_64_bits_are_refused():
    of = sequence(READ)
    rows = tuple(tuple(2**62 for _ in step.low) for step in of.steps)
    with pytest.raises(TooLargeError, match="leave 64 bits"):
        compute_bound(of, compute_weights(of), Prices(rows), {})


@pytest.mark.parametrize("ends", ["cases", "flow"])
def test_where_cases_or_time_run_out_there_is_an_interval(ends, monkeypatch):
    of = sequence(READ)
    parts = Program.solve_fractions
    if ends == "cases":
        monkeypatch.setattr(over, "CASES", 1)
    else:
        monkeypatch.setattr(
            Program, "solve_fractions", lambda of, bounds, aim, _: parts(of, bounds, aim, 0.0)
        )
    best = solve(of)
    assert best.values == (5,)
    assert best.least[0] == 4 if ends == "cases" else best.least[0] < 5
    assert is_proof(of, compute_weights(of), best.proofs[0].proof, best.proofs[0].bound)


def test_without_time_there_is_a_bound_that_holds():
    of = sequence(READ)
    best = solve(of, 0.0)
    assert (best.flow, best.values) == (None, None)
    for proof, least in zip(best.proofs, best.least, strict=True):
        assert is_proof(of, proof.weights, proof.proof, proof.bound)
        assert 0 <= least == max(0, proof.bound) <= 5
