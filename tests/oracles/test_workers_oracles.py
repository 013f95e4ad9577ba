"""Optima of clusters: by brute force and by a linear program; their certificates hold, and forged ones do not."""

import copy
import json
from itertools import product

import pytest
from families.tables import generated
from whole import seed_of_the_day, share, some

from kassay.comparison.measured import measured
from kassay.engine.judgement import judge_group
from kassay.engine.promises import Promises
from kassay.errors import InputError
from kassay.families import family
from kassay.model.workers import Cluster, Connector, Work, WorkAssignment, Worker
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.workers import over_time
from kassay.oracles.workers.optimum import optima, optimum, programmed
from kassay.properties.workers import sequences
from kassay.properties.workers.measures import connector_imbalance, moves, task_imbalance
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


def by_brute_force(cluster):
    """Return the optimum of each level; what is not given of the other kind would count as moved, so it is taken out."""
    evens, moved = [], 0
    for kind, imbalance in ((0, connector_imbalance), (1, task_imbalance)):
        kept = [(), ()]
        workers = []
        for worker in cluster.workers:
            kept[kind] = worker.work[kind]
            workers.append(Worker(worker.id, Work(*kept)))
        alone = Cluster(cluster.connectors, tuple(workers))
        even, least = min((imbalance(alone, one), moves(alone, one)) for one in placements(cluster, kind))
        evens.append(even)
        moved += least
    return {"connector-balance": evens[0], "task-balance": evens[1], "moves": moved}


def test_optima_are_those_of_brute_force_and_of_a_linear_program():
    tried = small()
    assert len(tried) >= 60
    for cluster in tried[: some(60, 1_000)]:
        least = dict(optima(cluster).least)
        assert least == by_brute_force(cluster)
        assert programmed(cluster) == least
        assert optimum("balance,moves", cluster).values == least


def test_gaps_are_measured_and_never_below_the_balance():
    for cluster in generated("connect", share(80, 800), seed_of_the_day()):
        answer = eager.assign(cluster)
        gaps = {gap.level: gap for gap in optima(cluster).gaps(answer)}
        assert (
            gaps["connector-balance"].value
            == connector_imbalance(cluster, answer)
            >= gaps["connector-balance"].optimum
        )
        assert gaps["task-balance"].value == task_imbalance(cluster, answer) >= gaps["task-balance"].optimum
        assert gaps["moves"].value == moves(cluster, answer)


def test_an_answer_that_is_not_whole_has_no_gaps():
    cluster = Cluster((Connector("c0", 1),), (Worker("w0"),))
    for work in (Work(("c0",)), Work(("c0", "c1")), Work(("c0",), (("c0", 1),))):
        assert optima(cluster).gaps(WorkAssignment({"w0": work}, {})) == ()


def test_an_answer_that_asks_for_another_round_has_no_gaps():
    cluster = Cluster((Connector("c0"),), (Worker("w0", Work(("c0",))), Worker("w1")))
    answer = WorkAssignment({"w0": Work(("c0",)), "w1": Work()}, {})
    assert optima(cluster).gaps(answer)
    assert optima(cluster).gaps(answer._replace(delay_ms=40)) == ()
    assert optima(cluster).gaps(answer._replace(revoked={"w0": Work(("c0",))})) == ()


@pytest.mark.parametrize("asked", ["balance,moves", "connector-balance,task-balance,moves"])
def test_all_levels_may_be_asked_by_their_names(asked):
    best = optimum(asked, CLUSTER)
    assert best.values.keys() == {"connector-balance", "task-balance", "moves"}
    assert best.values == optimum("balance,moves", CLUSTER).values


CLUSTER = Cluster(
    (Connector("a", 3), Connector("b", 2)),
    (
        Worker("w0", Work(("a", "b"), tuple(Cluster((Connector("a", 3),), (Worker("x"),)).configured.tasks))),
        Worker("w1"),
    ),
)


def stated(question="balance,moves"):
    best = optimum(question, CLUSTER)
    return json.loads(json.dumps(best.record(CONNECT.shape.write_assignment(best.assignment))))


def test_a_certificate_holds():
    proved, said = CONNECT.oracles.verify(CLUSTER, stated())
    assert proved
    assert "connectors: nothing is better" in said


def forged(change):
    answer = copy.deepcopy(stated())
    change(answer)
    return answer


FORGED = [
    lambda answer: answer["levels"][2].update(value=0, least=0),
    lambda answer: answer["assignment"]["w0"]["tasks"].pop(),
    lambda answer: answer["certificate"]["tasks"].update(question="balance"),
    lambda answer: answer["certificate"]["tasks"]["levels"][1].update(value=1, least=1),
    lambda answer: answer["certificate"]["connectors"]["assignment"].update(w1=[]),
]


@pytest.mark.parametrize("change", FORGED)
def test_a_forged_answer_is_not_proved(change):
    proved, said = CONNECT.oracles.verify(CLUSTER, forged(change))
    assert not proved
    assert said.startswith("NOT proved")


def test_wrong_questions_and_answers_have_their_sentence():
    with pytest.raises(ImpossibleError, match="'cross-rack' is not asked of workers; ask balance or"):
        optimum("cross-rack", CLUSTER)
    with pytest.raises(InputError, match="certificate"):
        CONNECT.oracles.verify(CLUSTER, {**stated(), "certificate": {}})


def sequence_by_brute_force(stages):
    """Return the fewest moves over stages that are as even as can be, connectors and tasks each by dynamic programming."""
    total = 0
    for kind, imbalance in ((0, connector_imbalance), (1, task_imbalance)):
        before = {tuple(worker.work[kind] for worker in stages[0].workers): (0, stages[0])}
        for stage in stages:
            even = list(placements(stage, kind))
            least = min(imbalance(stage, one) for one in even)
            costs = {}
            for works, (cost, then) in before.items():
                runs = {worker.id: work for worker, work in zip(then.workers, works, strict=True)}
                joined = Cluster(
                    stage.connectors,
                    tuple(
                        Worker(
                            w.id, Work(*((runs.get(w.id, ()), ()) if kind == 0 else ((), runs.get(w.id, ()))))
                        )
                        for w in stage.workers
                    ),
                )
                for one in even:
                    if imbalance(stage, one) == least:
                        key = tuple(one.workers[worker.id][kind] for worker in stage.workers)
                        now = cost + moves(joined, one)
                        if key not in costs or now < costs[key][0]:
                            costs[key] = (now, stage)
            before = costs
        total += min(cost for cost, _ in before.values())
    return total


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
    timeline = sequences.SEQUENCES[kind](start, number)
    stages = sequences.stages(timeline)
    best = over_time.over_time("balance,moves", stages)
    (total,) = best.totals
    assert best.proved
    assert total.value == sequence_by_brute_force(stages)
    totals = CONNECT.oracles.over_time.totals
    played = list(sequences.rounds(incremental_cooperative.assign, timeline))
    assert totals(played)["moves"] >= total.value


def test_a_sweep_and_a_comparison_measure_the_same_answer():
    target = open_target("connect/incremental-cooperative", Options())
    again = 0
    for cluster in [CLUSTER, *generated("connect", 12, 8)]:
        judged = judge_group(
            CONNECT, target, Promises(frozenset()), cluster, lambda _: (), optima=lambda c=cluster: optima(c)
        ).settled
        compared = measured(target, CONNECT, cluster, optima(cluster))
        assert compared.settled == judged.rest.answer
        assert compared.rebalances == judged.rest.rebalances
        assert compared.gaps == (judged.gaps or ())
        again += judged.rest.rebalances > 1
    assert again
