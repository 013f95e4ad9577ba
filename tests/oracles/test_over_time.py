"""Whole sequences of rebalances: four ways agree, no assignor is below the optimum, and looking ahead pays."""

from dataclasses import replace
from random import Random

import pytest
import sequences
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sequences import BY_TOPIC, CONSUMERS, TASKS, application, by_cp_sat, group
from whole import cases, share, some

from kassay.cli.render.over_time import add_upper_end
from kassay.comparison.measured import play_sequence
from kassay.errors import InputError
from kassay.families import family
from kassay.model import Group, Member, Topic
from kassay.oracles.assignment import sequence_optimum as over
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.partitions.over_time import compute_over_time
from kassay.oracles.tasks import over_time as tasks_over_time
from kassay.properties.partitions.rounds import apply_assignment
from kassay.properties.partitions.timelines import (
    SEQUENCES,
    Alter,
    Resubscribe,
    Timeline,
    bounce,
    restart,
    scale_out,
    stages,
)
from kassay.properties.tasks import timelines as tasks_sequences
from kassay.targets import Options, open_target

ORDERS = [("moves", "cross-rack"), ("cross-rack", "moves")]
EVEN = {"balance": CONSUMERS, "balance,topic-spread": BY_TOPIC}


def drawn(seed, members=3, partitions=5):
    """Draw a restart or a scale-out of a small group, which owns something at first now and then."""
    r = Random(seed)
    of = group(r, r.randint(2, members), r.randint(1, partitions), r.randint(1, 3))
    if r.random() < 0.5:
        of = apply_assignment(of, r.choice(sequences.legal(of)))
    kind, number = r.choice([restart, bounce, scale_out]), r.randint(1, 2)
    return kind(of, min(number, len(of.members) - 1) if kind is bounce else number)


@settings(max_examples=share(25, 500))
@given(st.integers(0, 10**6), st.sampled_from(ORDERS), st.sampled_from([*EVEN]))
def test_the_optimum_is_that_of_counting_out_every_even_assignment(seed, levels, even):
    found = stages(drawn(seed, partitions=some(4, 5)))
    best = compute_over_time(",".join((even, *levels)), found)
    assert best.proved
    first = [found[0], *(replace_claims(stage) for stage in found[1:])]
    assert tuple(total.value for total in best.totals) == EVEN[even].out(first, levels)


def replace_claims(stage):
    """Return a stage whose members own nothing."""
    return replace(stage, members=tuple(replace(m, owned=(), generation=None) for m in stage.members))


@pytest.mark.parametrize("seed", cases(4, 200))
def test_the_optimum_is_that_of_another_solver_on_larger_groups(seed):
    r = Random(seed)
    of = group(r, 3, r.randint(4, 6), 3, 3)
    found = stages(r.choice([restart, scale_out])(of, 1))
    for even in EVEN:
        for levels in ORDERS:
            best = compute_over_time(",".join((even, *levels)), found)
            assert tuple(total.value for total in best.totals) == by_cp_sat(found, levels, even)


@pytest.mark.parametrize("even", EVEN)
@pytest.mark.parametrize("seed", cases(8, 200))
def test_the_assignments_found_are_even_and_worth_what_is_said(seed, even):
    found = stages(drawn(seed, partitions=4))
    best = compute_over_time(f"{even},moves,cross-rack", found)
    sums, stage = [0, 0], found[0]
    for n, answer in enumerate(best.assignments):
        assert EVEN[even].uneven(stage, answer) == EVEN[even].uneven(stage, EVEN[even].even(stage)[0])
        sums = [s + CONSUMERS.costs[level](stage, answer) for s, level in zip(sums, ORDERS[0], strict=True)]
        if n + 1 < len(found):
            stage = sequences.owned(stage, answer, found[n + 1])
    assert sums == [total.value for total in best.totals]


@pytest.mark.parametrize("name", ["consumer/sticky", "consumer/cooperative-sticky", "consumer/range"])
def test_no_assignor_that_stays_even_is_below_the_optimum(name):
    consumer = family("consumer")
    even = 0
    with open_target(name, Options()) as target:
        for seed in cases(25, 1000):
            timeline = drawn(seed, 4, 8)
            row = play_sequence(target, consumer, consumer.oracles.over_time, timeline)
            assert not row.trouble
            best = compute_over_time("balance,moves", stages(timeline))
            if not row.uneven:
                even += 1
                assert row.totals["moves"] >= best.totals[0].value
    assert even


def test_a_cooperative_group_takes_two_rounds_for_what_moves_and_counts_it_once():
    of = Group((Topic("t", 4),), tuple(Member(f"m{n}", ("t",)) for n in range(2)))
    consumer = family("consumer")
    rows = []
    for name in ("consumer/sticky", "consumer/cooperative-sticky"):
        with open_target(name, Options()) as target:
            rows.append(play_sequence(target, consumer, consumer.oracles.over_time, restart(of, 2)))
    assert [row.rounds for row in rows] == [5, 7]
    assert [row.totals["moves"] for row in rows] == [4, 4]


def test_what_is_best_now_can_be_worse_in_all():
    topics = Topic("t0", 1, (("A",),)), Topic("t1", 2, (("A",), ("A",)))
    of = Group(
        topics,
        (
            Member("m0", ("t0",), rack="A"),
            Member("m1", ("t1",), rack="A"),
            Member("m2", ("t0", "t1"), rack="B"),
        ),
    )
    joining = (replace(of, members=of.members[1:]), of)
    levels = ("moves", "cross-rack")
    best = compute_over_time("balance,moves,cross-rack", joining)
    now = CONSUMERS.even(joining[0])
    crossing = [CONSUMERS.costs["cross-rack"](joining[0], each) for each in now]
    assert sorted(crossing)[:2] == [1, 2]  # only one of them has 1
    nearest = [now[crossing.index(1)]]
    later = sequences.owned(joining[0], nearest[0], joining[1])
    greedy = min(CONSUMERS.costs["moves"](later, each) for each in CONSUMERS.even(later))
    assert (greedy, best.totals[0].value) == (2, 1)
    assert CONSUMERS.out(joining, levels) == tuple(total.value for total in best.totals)


@pytest.mark.parametrize(("even", "moved"), [("balance", 0), ("balance,topic-spread", 4)])
def test_subscriptions_may_change_between_rebalances(even, moved):
    of = Group((Topic("a", 2), Topic("b", 2)), (Member("m0", ("a", "b")), Member("m1", ("a", "b"))))
    found = stages(Timeline(of, (Resubscribe("m0", ("a",)), Resubscribe("m0", ("a", "b")))))
    best = compute_over_time(f"{even},moves", found)
    assert tuple(total.value for total in best.totals) == EVEN[even].out(found, ("moves",)) == (moved,)


def test_the_best_spread_at_each_rebalance_can_cost_moves():
    of = Group((Topic("a", 2), Topic("b", 2)), (Member("m0", ("a", "b")), Member("m1", ("b",))))
    assert [compute_over_time(f"{even},moves", stages(restart(of, 2))).totals[0].value for even in EVEN] == [
        2,
        2,
    ]


@pytest.mark.parametrize("even", EVEN)
@pytest.mark.parametrize("seed", cases(8, 200))
def test_large_sequences_have_a_bound_and_nothing_that_is_called_an_optimum(seed, even, monkeypatch):
    found = stages(drawn(seed, 4, 8))
    best = compute_over_time(f"{even},moves,cross-rack", found)
    monkeypatch.setattr(over, "PAIRS", 0)
    bounds = compute_over_time(f"{even},moves,cross-rack", found)
    assert not bounds.proved
    assert not bounds.assignments
    assert [total.value for total in bounds.totals] == [None, None]
    assert all(one.least <= other.value for one, other in zip(bounds.totals, best.totals, strict=True))


def test_where_all_partitions_are_alike_the_bound_is_the_optimum(monkeypatch):
    of = Group((Topic("t", 7),), tuple(Member(f"m{n}", ("t",)) for n in range(4)))
    best = compute_over_time("balance,moves", stages(restart(of, 4)))
    monkeypatch.setattr(over, "PAIRS", 0)
    assert (
        compute_over_time("balance,moves", stages(restart(of, 4))).totals[0].least
        == best.totals[0].value
        == 4
    )


def test_what_is_too_large_says_by_how_much(monkeypatch):
    of = Group((Topic("t", 2),), (Member("m0", ("t",)), Member("m1", ("t",))))
    monkeypatch.setattr(over, "MERGED", 10)
    with pytest.raises(TooLargeError, match=r"the layers have 14 arcs. At most 10 are taken"):
        compute_over_time("balance,moves", stages(scale_out(of, 1)))


def test_wrong_questions_and_sequences_are_refused():
    of = Group((Topic("t", 2),), (Member("m0", ("t",)),))
    for text in ("moves", "co-partition", "balance", "nonsense"):
        with pytest.raises(ImpossibleError, match=r"is not asked over time. Ask balance,moves,cross-rack"):
            compute_over_time(text, [of])
    for text in ("balance,moves,topic-spread", "topic-spread,moves", "balance,topic-spread"):
        with pytest.raises(
            ImpossibleError, match="topic-spread is asked at each rebalance, directly behind balance"
        ):
            compute_over_time(text, [of])
    with pytest.raises(ImpossibleError, match="stages: is empty"):
        compute_over_time("balance,moves", [])
    with pytest.raises(ImpossibleError, match="topics differ at rebalance 2"):
        compute_over_time("balance,moves", stages(Timeline(of, (Alter(Topic("t", 3)),))))
    for kind, number in (("restart", 1), ("bounce", 1), ("scale-out", 0)):
        with pytest.raises(InputError, match=f"{kind}: {number}"):
            SEQUENCES[kind](of, number)


@pytest.mark.parametrize("seed", cases(10, 300))
def test_the_optimum_of_applications_is_that_of_counting_out(seed):
    r = Random(seed)
    of = application(r, r.randint(2, 3), r.randint(1, 3), r.randint(0, 1))
    found = tasks_sequences.stages(r.choice([*tasks_sequences.SEQUENCES.values()])(of, 1))
    for levels in (("moves", "joint"), ("joint", "moves")):
        try:
            best = tasks_over_time.compute_over_time(",".join(("balance", *levels)), found)
        except ImpossibleError as refused:
            assert "cannot have its even share" in str(refused)  # noqa: PT017 - few of them, and the rest is to be compared
            continue
        assert best.proved
        assert tuple(total.value for total in best.totals) == TASKS.out(found, levels)


@pytest.mark.parametrize("name", ["streams/high-availability", "streams/sticky"])
def test_no_task_assignor_that_stays_even_is_below_the_optimum(name):
    streams = family("streams")
    even = 0
    with open_target(name, Options()) as target:
        for seed in cases(12, 300):
            r = Random(seed)
            of = replace(application(r, 3, r.randint(2, 5), r.randint(0, 1)))
            of = replace(of, clients=tuple(replace(client, threads=1) for client in of.clients))
            timeline = r.choice([*tasks_sequences.SEQUENCES.values()])(of, 2)
            row = play_sequence(target, streams, streams.oracles.over_time, timeline)
            if row.trouble or row.uneven:
                continue
            try:
                best = streams.oracles.over_time.optimum("balance,moves", timeline, None)
            except ImpossibleError:
                continue
            even += 1
            assert row.totals["moves"] >= best.totals[0].value
    assert even


def test_applications_that_are_too_large_or_change_are_refused():
    of = application(Random(1), 3, 2, 1)
    with pytest.raises(ImpossibleError, match="tasks, topics or settings differ at rebalance 2"):
        tasks_over_time.compute_over_time("balance,moves", [of, replace(of, tasks=of.tasks[:1])])
    with pytest.raises(ImpossibleError, match="is not asked over time"):
        tasks_over_time.compute_over_time("balance,spread", [of])
    many = application(Random(1), 30, 2, 1)
    with pytest.raises(
        TooLargeError, match=r"30 clients with 1 standbys are 900 places. Give fewer, for at most 400"
    ):
        tasks_over_time.compute_over_time("balance,moves", [many])


@settings(max_examples=share(15, 300))
@given(st.integers(0, 10**6), st.sampled_from(["consumer", "streams"]))
def test_an_assignor_that_stays_even_gives_an_upper_end_where_there_is_a_bound_alone(seed, name):
    of_family, r = family(name), Random(seed)
    known = of_family.oracles.over_time
    of = group(r, r.randint(2, 4), r.randint(2, 9), 2) if name == "consumer" else application(r, 3, 4, 1)
    timeline = known.kinds[r.choice(["restart", "scale-out"])](of, r.randint(1, 2))
    rows = []
    for spec in of_family.settable:
        with open_target(spec, Options()) as target:
            rows.append(play_sequence(target, of_family, known, timeline))
    question = known.questions[0]
    try:
        best = known.optimum(question, timeline, None)
    except ImpossibleError:  # a client of a Streams group may hold less than its share
        assume(False)
    bound = replace(
        best, assignments=(), totals=tuple(replace(each, least=0, value=None) for each in best.totals)
    )
    found = add_upper_end(bound, rows)
    even = [row.totals[best.totals[0].name] for row in rows if not row.trouble and not row.uneven]
    assert found.totals[0].value == min(even, default=None)
    assert found.totals[0].value is None or found.totals[0].value >= best.totals[0].least
    assert found.totals[1:] == bound.totals[1:]
    assert add_upper_end(best, rows) == best
