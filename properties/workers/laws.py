"""Metamorphic properties of Connect's assignors (KIP-415): convergence, and workers that leave, come back and join.

Workers rejoin at once if work was revoked, else after the delay. Properties take an assign function and a cluster, and yield
one sentence per violation; AssignorError passes through. Except for `settles`, they are not checked if the assignor does not
converge.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from kassay.model.workers import Cluster, Item, Work, WorkAssignment
from kassay.properties.runs import (
    DIFFERENCES,
    MOVES,
    REST,
    Run,
    TwoRuns,
    Violation,
    format_count,
    format_items,
)
from kassay.properties.workers.measures import clustering, connector_imbalance, task_imbalance
from kassay.properties.workers.timelines import (
    Assign,
    Join,
    Leave,
    apply_answer,
    happen,
    has_converged,
    is_same,
    run_until_converged,
)


def returning_gets_back(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """A worker that comes back during the delay, under a new id, gets its work after the delay.

    Not checked if other workers have no work either, because they cannot be distinguished. Source: KIP-415, whose first aim it
    is.
    """
    rest = _at_rest(assign, cluster)
    if rest is None or len(rest.workers) < 2 or not rest.max_delay_ms:
        return
    gone, others = rest.workers[-1], rest.workers[:-1]
    if not gone.work.items or not all(worker.work.items for worker in others):
        return
    name = _new_id(rest)
    left = happen(rest, Leave(gone.id))
    answer = assign(left)
    back = happen(apply_answer(left, answer, wait_ms=answer.delay_ms // 2), Join(name))
    rounds = run_until_converged(assign, back)
    given = rounds[-1][1].workers.get(name, Work())
    missing = [item for item in gone.work.items if item not in given.items]
    if missing:
        yield TwoRuns(
            f"{gone.id} comes back as {name} and is not given {format_items(missing)}, which it ran",
            Run("it leaves", left, answer), Run("at rest", *rounds[-1]), MOVES, len(missing),
        )  # fmt: skip


def leaver_minimal(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """If a worker leaves permanently, all others keep their work. Source: KIP-415."""
    rest = _at_rest(assign, cluster)
    if rest is None or len(rest.workers) < 2:
        return
    left = happen(rest, Leave(rest.workers[-1].id))
    rounds = run_until_converged(assign, left)
    answer = rounds[-1][1].workers
    losses = [
        (worker.id, taken)
        for worker in left.workers
        if (taken := [item for item in worker.work.items if item not in answer.get(worker.id, Work()).items])
    ]
    for name, taken in losses[:1]:
        yield TwoRuns(
            f"{rest.workers[-1].id} leaves, and {name} loses {format_items(taken)}",
            Run("it leaves", *rounds[0]), Run("at rest", *rounds[-1]), MOVES, sum(len(each) for _, each in losses),
        )  # fmt: skip


def joiner_minimal(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """If a worker joins, only it gets new work, and no more than its share of connectors and of tasks. Source: KIP-415."""
    rest = _at_rest(assign, cluster)
    if rest is None:
        return
    name = _new_id(rest)
    rounds = run_until_converged(assign, happen(rest, Join(name)))
    if not has_converged(rounds):
        return
    answer = rounds[-1][1]
    runs = Run("it joins", *rounds[0]), Run("at rest", *rounds[-1])
    for worker in rest.workers:
        given = answer.workers.get(worker.id, Work()).items
        if gained := [item for item in given if item not in worker.work.items]:
            yield TwoRuns(f"{name} joins, and {worker.id} is given {format_items(gained)}", *runs)
            return
    mine, configured = answer.workers.get(name, Work()), rest.configured
    for kind, has, of in (
        ("connector", len(mine.connectors), len(configured.connectors)),
        ("task", len(mine.tasks), len(configured.tasks)),
    ):
        if has > (most := -(-of // (len(rest.workers) + 1))):
            yield TwoRuns(f"{name} joins and is given {format_count(has, kind)}; its share is {most}", *runs)
            return


def connector_order_independent(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """The assignment does not depend on the order of the connectors."""
    if len(cluster.connectors) < 2:
        return
    turned = replace(cluster, connectors=cluster.connectors[::-1])
    first, second = assign(cluster), assign(turned)
    if first != second:
        differing = (name for name, work in first.workers.items() if work != second.workers.get(name))
        yield TwoRuns(
            f"{next(differing, 'nobody')} is given something else when connectors are listed the other way round",
            Run("as listed", cluster, first), Run("the other way round", turned, second),
        )  # fmt: skip


def _at_rest(assign: Assign, cluster: Cluster) -> Cluster | None:
    """Return the converged cluster, one round later; None if it does not converge."""
    rounds = run_until_converged(assign, cluster)
    return apply_answer(*rounds[-1], wait_ms=1) if has_converged(rounds) else None


def _new_id(cluster: Cluster) -> str:
    known = {worker.id for worker in cluster.workers}
    return next(name for n in range(len(known) + 1) if (name := f"n{n}") not in known)


MOST_ROUNDS = 9
"""The maximum number of rounds. The first revokes work of several workers. Two wait for lost work, and for work that is lost
then; one assigns it. Two revoke and assign work for balance, two more after a delay. The last round has no changes.
"""

Played = list[tuple[Cluster, WorkAssignment]]


def settles(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """It converges within MOST_ROUNDS rounds: no revocation is endless. Source: KIP-415; KAFKA-12495."""
    rounds = run_until_converged(assign, cluster)
    if len(rounds) > MOST_ROUNDS or not has_converged(rounds):
        last = rounds[min(len(rounds), MOST_ROUNDS) - 1]
        yield TwoRuns(
            f"after {min(len(rounds), MOST_ROUNDS)} rounds it still asks for another one",
            Run("round 1", *rounds[0]), Run(f"round {min(len(rounds), MOST_ROUNDS)}", *last), REST,
        )  # fmt: skip


def all_run_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it has converged, every connector and every task runs on one worker, and nothing else runs. Source: KIP-415."""
    rounds = run_until_converged(assign, cluster)
    if not has_converged(rounds):
        return
    counts = Counter(item for work in rounds[-1][1].workers.values() for item in work.items)
    configured = cluster.configured.items
    for item in configured:
        if counts[item] != 1:
            where = "on no worker" if not counts[item] else f"on {counts[item]} workers"
            yield _at_rest_rest(rounds, Violation(f"when it has converged, {item} runs {where}", item))
            return
    for item in counts.keys() - set(configured):
        yield _at_rest_rest(
            rounds, Violation(f"when it has converged, {item} runs, which is not configured", item)
        )
        return


def even_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it has converged, no worker has two connectors or two tasks more than another one. Source: KAFKA-12495."""
    rounds = run_until_converged(assign, cluster)
    if not has_converged(rounds):
        return
    for kind, imbalance in (("connectors", connector_imbalance), ("tasks", task_imbalance)):
        if (spread := imbalance(*rounds[-1])) > 1:
            yield _at_rest_rest(
                rounds, f"when it has converged, a worker has {spread} {kind} more than another one"
            )
            return


def together_even_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it has converged, no worker has two connectors and tasks more than another one, counted together."""
    rounds = run_until_converged(assign, cluster)
    loads = [len(work.items) for work in rounds[-1][1].workers.values()]
    if has_converged(rounds) and loads and max(loads) - min(loads) > 1:
        yield _at_rest_rest(
            rounds,
            f"when it has converged, a worker has {max(loads) - min(loads)} connectors and tasks more than another one",
        )


def connectors_spread_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it has converged, no worker has two tasks of a connector more than another one.

    Source: KAFKA-17049, where a worker that joins is given all tasks of one connector.
    """
    rounds = run_until_converged(assign, cluster)
    if has_converged(rounds) and (spread := clustering(*rounds[-1])) > 1:
        yield _at_rest_rest(
            rounds, f"when it has converged, a worker has {spread} tasks of a connector more than another one"
        )


def stable(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it has converged, a round without events changes nothing. Source: KIP-415."""
    rounds = run_until_converged(assign, cluster)
    if not has_converged(rounds):
        return
    again = apply_answer(*rounds[-1], wait_ms=1)
    answer = assign(again)
    before = WorkAssignment({worker.id: worker.work for worker in again.workers}, {})
    if not is_same(before, answer):
        changed = [
            name for name, work in answer.workers.items() if set(work.items) != set(before.workers.get(name, Work()).items)
        ]  # fmt: skip
        what = f"{changed[0]} is given something else" if changed else "something is revoked or waited for"
        yield TwoRuns(
            f"nothing has happened, but {what}", Run("at rest", *rounds[-1]), Run("again", again, answer),
            DIFFERENCES, 1 + len(changed),
        )  # fmt: skip


def revoked_once(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """Until it converges, no connector and no task is revoked twice. Source: KIP-415."""
    seen: set[Item] = set()
    configured = set(cluster.configured.items)
    rounds = run_until_converged(assign, cluster)
    for number, (_, answer) in enumerate(rounds):
        taken = {item for work in answer.revoked.values() for item in work.items if item in configured}
        if again := [item for item in cluster.configured.items if item in taken & seen]:
            yield TwoRuns(
                f"{again[0]} is revoked again in round {number + 1}",
                Run("round 1", *rounds[0]), Run(f"round {number + 1}", *rounds[number]),
            )  # fmt: skip
            return
        seen |= taken


def _at_rest_rest(rounds: Played, sentence: str) -> str:
    if len(rounds) == 1:
        return sentence
    said = sentence if isinstance(sentence, Violation) else Violation(sentence)
    return TwoRuns(
        said, Run("round 1", *rounds[0]), Run(f"round {len(rounds)}", *rounds[-1]), said.of, said.amount
    )
