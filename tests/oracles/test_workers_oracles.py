"""Optima of clusters: by brute force and by a linear program; their certificates hold, and forged ones do not."""

import copy
import json
from dataclasses import replace
from itertools import permutations, product

import pytest
from families.tables import generated
from forging.sequence_truth import build_group
from hypothesis import given, settings
from hypothesis import strategies as st
from sequences import CONSUMERS
from whole import seed_of_the_day, share, some

from kassay.comparison.headline import is_optimal_in_place
from kassay.comparison.measured import measure_answer, measure_current_assignment
from kassay.comparison.ranking import describe_alternative
from kassay.engine.judge import judge_group
from kassay.engine.promises import Promises
from kassay.errors import InputError
from kassay.families import family
from kassay.model import TopicPartition
from kassay.model.workers import Cluster, Connector, ConnectorTask, Work, WorkAssignment, Worker
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.optima import compute_optima as optima_of_partitions
from kassay.oracles.partitions.optimum import compute_optimum as solve_partitions
from kassay.oracles.workers import optimum as over_time
from kassay.oracles.workers.optimum import compute_optima, compute_optimum, solve_by_program
from kassay.properties.workers import timelines
from kassay.properties.workers.measures import connector_excess, connector_imbalance, moves, task_imbalance
from kassay.properties.workers.strategies import clusters
from kassay.reference.connect import eager, incremental_cooperative
from kassay.targets import Options, open_target

CONNECT = family("connect")
MOST = 600
"""How many placements of one kind are tried by brute force."""


def small():
    """Return generated clusters whose placements can all be tried."""
    return [
        cluster
        for cluster in generated("connect", share(400, 3_000), seed_of_the_day())
        if max(len(kind) for kind in cluster.configured) <= 6
        and len(cluster.workers) ** max(len(kind) for kind in cluster.configured) <= MOST
    ]


def placements(cluster, kind):
    """Yield every way to give out connectors (0) or tasks (1)."""
    items = cluster.configured[kind]
    for owners in product(cluster.workers, repeat=len(items)):
        works = {
            worker.id: tuple(item for item, owner in zip(items, owners, strict=True) if owner is worker)
            for worker in cluster.workers
        }
        yield WorkAssignment(
            {name: Work(*((own, ()) if kind == 0 else ((), own))) for name, own in works.items()}, {}
        )


def counted_excess(cluster, answer):
    """Count for each connector how far the squares of its tasks by worker are above the squares of tasks that are dealt out one by one."""
    above = 0
    for connector in cluster.connectors:
        own, dealt = (dict.fromkeys((w.id for w in cluster.workers), 0) for _ in range(2))
        for name, work in answer.workers.items():
            own[name] += sum(task.connector == connector.name for task in work.tasks)
        for number in range(connector.tasks):
            dealt[cluster.workers[number % len(cluster.workers)].id] += 1
        above += sum(n * n for n in own.values()) - sum(n * n for n in dealt.values())
    assert above % 2 == 0
    return above // 2


BALANCES = ("connector-balance", "task-balance")
COSTS = {
    "balance": (connector_imbalance, task_imbalance),
    "moves": (moves, moves),
    "connector-spread": (None, counted_excess),
}
"""Word of a question -> what a placement of connectors, and of tasks, costs in it."""


def least_in_order(cluster, words):
    """Return the least of each kind in levels in order, of all placements of that kind; the other kind would count as moved, so it is taken out."""
    found = []
    for kind in (0, 1):
        kept = [(), ()]
        workers = []
        for worker in cluster.workers:
            kept[kind] = worker.work[kind]
            workers.append(Worker(worker.id, Work(*kept)))
        alone = Cluster(cluster.connectors, tuple(workers))
        costs = [COSTS[word][kind] or (lambda *_: 0) for word in words]
        least = min(tuple(cost(alone, one) for cost in costs) for one in placements(cluster, kind))
        found.append(dict(zip(words, least, strict=True)))
    return found


def told(words, of_connectors, of_tasks):
    """Return the values that an answer tells, in the question's order."""
    values = {}
    for word in words:
        if word == "balance":
            values |= zip(BALANCES, (of_connectors[word], of_tasks[word]), strict=True)
        else:
            values[word] = of_connectors[word] + of_tasks[word]
    return values


ORDERS = [order for number in (1, 2, 3) for order in permutations(COSTS, number)]


@pytest.mark.parametrize("order", ORDERS, ids=",".join)
def test_every_order_of_levels_is_that_of_brute_force(order):
    """Also where connector spread is asked first, and connectors are asked nothing: they stay."""
    asked, above = ",".join(order), 0
    for cluster in [apart(), *small()[: some(25, 500)]]:
        best = compute_optimum(asked, cluster)
        expected = told(order, *least_in_order(cluster, order))
        assert best.proved
        assert list(best.values.items()) == list(expected.items())
        assert best.values.get("connector-spread") in {None, connector_excess(cluster, best.assignment)}
        proved, said = CONNECT.oracles.verify(cluster, record(best))
        assert proved, said
        if "balance" not in order:
            assert all(
                set(worker.work.connectors)
                >= set(best.assignment.workers[worker.id].connectors) - lost_or_new(cluster)
                for worker in cluster.workers
            )
        above += best.values.get("connector-spread", 0) > 0
    assert above or order[-1] != "connector-spread" or "moves" not in order


def apart():
    """Two workers with a connector each and its three tasks."""
    work = (Work((name,), tuple(ConnectorTask(name, task) for task in range(3))) for name in ("a", "b"))
    return Cluster(
        (Connector("a", 3), Connector("b", 3)), tuple(Worker(f"w{n}", own) for n, own in enumerate(work))
    )


def lost_or_new(cluster):
    """Connectors that no worker runs by itself."""
    run = [name for worker in cluster.workers for name in worker.work.connectors]
    return {one.name for one in cluster.connectors if run.count(one.name) != 1}


def test_the_excess_is_that_which_is_counted_out():
    for cluster in generated("connect", share(80, 800), seed_of_the_day()):
        for assign in (eager.assign, incremental_cooperative.assign):
            answer = assign(cluster)
            given_ = {name: Work((), tuple(dict.fromkeys(own.tasks))) for name, own in answer.workers.items()}
            whole = WorkAssignment(given_, {})
            number = sum(one.tasks for one in cluster.connectors)
            if sum(len(own.tasks) for own in given_.values()) == number:
                assert connector_excess(cluster, whole) == counted_excess(cluster, whole)


CLUMPED = Cluster(
    tuple(Connector(f"c{n}", 6) for n in range(3)),
    tuple(
        Worker(f"w{n}", Work((f"c{n}",), tuple(ConnectorTask(f"c{n}", task) for task in range(6))))
        for n in range(3)
    ),
)
"""Each worker runs one connector and all of its tasks."""


def test_a_cluster_that_runs_each_connector_on_one_worker_is_not_the_best():
    """Planted: without the level every gap is 0, and the cluster passes for optimal."""
    now = measure_current_assignment(CONNECT, CLUMPED)
    assert {gap.level: gap.over for gap in now.gaps} == {
        "connector-balance": 0, "task-balance": 0, "moves": 0, "connector-spread": 36,
    }  # fmt: skip
    assert not is_optimal_in_place(now)
    assert is_optimal_in_place(replace(now, gaps=now.gaps[:3]))
    assert compute_optimum("balance,connector-spread,moves", CLUMPED).values["moves"] == 12
    assert compute_optimum("moves,connector-spread", CLUMPED).values == {"moves": 0, "connector-spread": 36}


def test_what_is_dominated_is_told_by_connector_and_its_connectors_stay():
    """Two connectors of two tasks, in a new cluster: each on one worker is as even, and dealing them out costs nothing."""
    fresh = Cluster((Connector("a", 2), Connector("b", 2)), (Worker("w0"), Worker("w1")))
    clumped = WorkAssignment(
        {
            "w0": Work(("a", "b"), (ConnectorTask("a", 0), ConnectorTask("a", 1))),
            "w1": Work((), (ConnectorTask("b", 0), ConnectorTask("b", 1))),
        },
        {},
    )
    found = CONNECT.oracles.dominance(fresh)(clumped)
    assert (found.level, found.value, found.least, found.verdict) == ("connector-spread", 2, 0, True)
    assert [found.better.workers[name].connectors for name in ("w0", "w1")] == [("a", "b"), ()]
    assert connector_excess(fresh, found.better) == 0
    assert (
        describe_alternative(CONNECT.shape, clumped, found.better)
        == "Better: w0 gets 1 of b for 1 of a; w1 gets 1 of a for 1 of b."
    )
    assert CONNECT.oracles.dominance(fresh)(clumped._replace(delay_ms=1)) is None
    assert CONNECT.oracles.dominance(fresh)(WorkAssignment({"w0": Work(), "w1": Work()}, {})) is None


@settings(max_examples=share(60, 600), deadline=None)
@given(clusters())
def test_the_verdict_is_that_of_all_placements(cluster):
    if len(cluster.workers) ** len(cluster.configured.tasks) > MOST:
        return
    answer = eager.assign(cluster)
    found = CONNECT.oracles.dominance(cluster)(answer)
    alone = Cluster(cluster.connectors, tuple(Worker(w.id, Work((), w.work.tasks)) for w in cluster.workers))

    def worth(one):
        return task_imbalance(alone, one), moves(alone, one), counted_excess(alone, one)

    own = worth(answer)
    better = [
        worth(one) for one in placements(alone, 1)
        if sum(len(w.tasks) ** 2 for w in one.workers.values()) <= sum(len(w.tasks) ** 2 for w in answer.workers.values())
    ]  # fmt: skip
    exists = any(one[2] < own[2] and one[1] <= own[1] for one in better)
    assert found.verdict in {None, exists}
    if found.verdict:
        assert counted_excess(alone, found.better) == found.least < own[2] == found.value


def test_optima_are_those_of_brute_force_and_of_a_linear_program():
    tried = small()
    assert len(tried) >= 60
    for cluster in tried[: some(60, 1_000)]:
        least = dict(compute_optima(cluster).least)
        expected = {}
        for word in ("moves", "connector-spread"):
            expected |= told(("balance", word), *least_in_order(cluster, ("balance", word)))
        assert least == expected
        assert solve_by_program(cluster) == least
        assert compute_optimum("balance,moves", cluster).values == {
            name: least[name] for name in (*BALANCES, "moves")
        }


def test_gaps_are_measured_and_never_below_the_balance():
    for cluster in generated("connect", share(80, 800), seed_of_the_day()):
        answer = eager.assign(cluster)
        gaps = {gap.level: gap for gap in compute_optima(cluster).gaps(answer)}
        for level, measure in zip(
            (*BALANCES, "moves"), (connector_imbalance, task_imbalance, moves), strict=True
        ):
            assert gaps[level].value == measure(cluster, answer)
            assert level == "moves" or gaps[level].value >= gaps[level].optimum


@given(clusters(), st.data())
def test_numbers_in_place_of_names_change_no_optimum_and_no_gap(cluster, data):
    """Also for an answer with a stranger, with shares of other members, and without the first member."""
    names = [*(each.name for each in cluster.connectors), *(each.id for each in cluster.workers)]
    given_names = dict(zip(names, data.draw(st.permutations(names)), strict=True))
    for group in over_time.build_groups(cluster).values():
        named = optima_of_partitions(group)
        numbered = over_time._compute_numbered_optima(over_time._use_numbers(group))
        assert numbered.least == named.least
        answer = solve_partitions("balance,moves", group).assignment
        forged = {given_names.get(owner, owner): own for owner, own in answer.items()}
        strange = {"stranger": (TopicPartition("t", 0),)}
        for each in (answer, forged, dict(list(answer.items())[1:]), answer | strange):
            assert numbered.gaps(over_time._convert_answer(group, each)) == named.gaps(each)


def test_an_answer_that_is_not_whole_or_asks_for_another_round_has_no_gaps():
    cluster = Cluster((Connector("c0", 1),), (Worker("w0"),))
    for work in (Work(("c0",)), Work(("c0", "c1")), Work(("c0",), (("c0", 1),))):
        assert compute_optima(cluster).gaps(WorkAssignment({"w0": work}, {})) == ()
    cluster = Cluster((Connector("c0"),), (Worker("w0", Work(("c0",))), Worker("w1")))
    answer = WorkAssignment({"w0": Work(("c0",)), "w1": Work()}, {})
    assert compute_optima(cluster).gaps(answer)
    assert compute_optima(cluster).gaps(answer._replace(delay_ms=40)) == ()
    assert compute_optima(cluster).gaps(answer._replace(revoked={"w0": Work(("c0",))})) == ()


@pytest.mark.parametrize("asked", ["balance,moves", "connector-balance,task-balance,moves"])
def test_all_levels_may_be_asked_by_their_names(asked):
    best = compute_optimum(asked, CLUSTER)
    assert best.values.keys() == {"connector-balance", "task-balance", "moves"}
    assert best.values == compute_optimum("balance,moves", CLUSTER).values


CLUSTER = Cluster(
    (Connector("a", 3), Connector("b", 2)),
    (
        Worker("w0", Work(("a", "b"), tuple(Cluster((Connector("a", 3),), (Worker("x"),)).configured.tasks))),
        Worker("w1"),
    ),
)


def record(best):
    return json.loads(json.dumps(best.record(CONNECT.shape.write_assignment(best.assignment))))


def test_the_reasons_name_what_is_asked():
    told_ = compute_optimum("balance,moves,connector-spread", CLUMPED).words
    assert (
        "tasks: connector-spread: a spread excess of 36 is the least at the best balance and moves, which is proved"
        in told_
    )
    assert not any("topic-spread" in word for word in told_)


FORGED_SPREAD = [
    lambda answer: answer["levels"][3].update(value=0, least=0),
    lambda answer: answer["levels"].pop(),
    lambda answer: answer["levels"].insert(2, answer["levels"].pop()),
    lambda answer: answer["certificate"]["tasks"].update(question="balance,moves"),
    lambda answer: answer["certificate"]["connectors"].update(question="balance,moves,topic-spread"),
    lambda answer: answer.update(question="balance,connector-spread,moves"),
    lambda answer: answer["certificate"]["tasks"]["levels"][2].update(value=0, least=0),
    lambda answer: answer["certificate"]["tasks"]["certificate"]["parts"][0].pop("spread"),
]
FORGED = [
    lambda answer: answer["levels"][2].update(value=0, least=0),
    lambda answer: answer["assignment"]["w0"]["tasks"].pop(),
    lambda answer: answer["certificate"]["tasks"].update(question="balance"),
    lambda answer: answer["certificate"]["tasks"]["levels"][1].update(value=1, least=1),
    lambda answer: answer["certificate"]["connectors"]["assignment"].update(w1=[]),
]


@pytest.mark.parametrize(
    ("cluster", "asked", "changes"),
    [(CLUSTER, "balance,moves", FORGED), (CLUMPED, "balance,moves,connector-spread", FORGED_SPREAD)],
    ids=["moves", "spread"],
)
def test_a_certificate_holds_and_a_forged_one_does_not(cluster, asked, changes):
    honest = record(compute_optimum(asked, cluster))
    proved, said = CONNECT.oracles.verify(cluster, honest)
    assert proved
    assert "connectors: nothing is better" in said
    for change in changes:
        answer = copy.deepcopy(honest)
        change(answer)
        try:
            proved, said = CONNECT.oracles.verify(cluster, answer)
        except InputError:
            assert changes is FORGED_SPREAD  # said to be no answer at all
        else:
            assert not proved
            assert said.startswith("NOT proved")


def test_wrong_questions_and_answers_have_their_sentence():
    with pytest.raises(
        ImpossibleError, match=r"'cross-rack' is not asked of workers. Ask balance, moves, connector-spread"
    ):
        compute_optimum("cross-rack", CLUSTER)
    for wrong in ("moves,moves", "", "balance,", "topic-spread", "connector-balance"):
        with pytest.raises(ImpossibleError, match="each once and in any order"):
            compute_optimum(wrong, CLUSTER)
    with pytest.raises(InputError, match="certificate"):
        CONNECT.oracles.verify(
            CLUSTER, {**record(compute_optimum("balance,moves", CLUSTER)), "certificate": {}}
        )


def sequence_by_brute_force(stages):
    """Return the fewest moves over stages with balanced loads, of connectors and of tasks, by dynamic programming."""
    return sum(
        CONSUMERS.out([build_group(stage, kind) for stage in stages], ("moves",))[0] for kind in (0, 1)
    )


@pytest.mark.parametrize(
    ("kind", "number", "connectors", "workers"),
    [
        ("restart", 2, (2, 1), 2),
        ("scale-out", 1, (2, 2), 2),
        ("scale-out", 2, (3,), 1),
        ("restart", 1, (1, 1, 1), 3),
        ("bounce", 1, (2, 1), 3),
        ("bounce", 2, (1, 1), 3),
    ],
)
def test_a_sequence_takes_no_fewer_moves_than_by_brute_force(kind, number, connectors, workers):
    start = Cluster(
        tuple(Connector(f"c{n}", tasks) for n, tasks in enumerate(connectors)),
        tuple(Worker(f"w{n}") for n in range(workers)),
    )
    timeline = timelines.SEQUENCES[kind](start, number)
    stages = timelines.stages(timeline)
    best = over_time.compute_over_time("balance,moves", stages)
    (total,) = best.totals
    assert best.proved
    assert total.value == sequence_by_brute_force(stages)
    totals = CONNECT.oracles.over_time.totals
    played = list(timelines.rounds(incremental_cooperative.assign, timeline))
    assert totals(played)["moves"] >= total.value


def test_a_sweep_and_a_comparison_measure_the_same_answer():
    target = open_target("connect/incremental-cooperative", Options())
    again = 0
    for cluster in [CLUSTER, *generated("connect", 12, 8)]:
        judged = judge_group(
            CONNECT,
            target,
            Promises(frozenset()),
            cluster,
            lambda _: (),
            optima=lambda c=cluster: compute_optima(c),
        ).settled
        compared = measure_answer(target, CONNECT, cluster, compute_optima(cluster))
        assert compared.settled == judged.rest.answer
        assert compared.rebalances == judged.rest.rebalances
        assert compared.gaps == (judged.gaps or ())
        again += judged.rest.rebalances > 1
    assert again
