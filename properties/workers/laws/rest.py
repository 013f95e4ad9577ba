"""Coming to rest: how many rounds it takes when nothing else happens, what everybody has then, and that this stays.

Workers join again at once when something was revoked, else when the delay is over. Laws take an assign function and a cluster, and
yield one sentence per violation; AssignorError passes through.
"""

from collections import Counter
from collections.abc import Iterator

from kassay.model.workers import Cluster, Item, Work, WorkAssignment
from kassay.properties.runs import DIFFERENCES, REST, Run, TwoRuns, Violation
from kassay.properties.workers.measures import clustering, connector_imbalance, task_imbalance
from kassay.properties.workers.rounds import Assign, after, comes_to_rest, same, until_rest

MOST_ROUNDS = 9
"""One round for each: what several workers run is revoked; something lost is waited for, which starts again for what is lost then;
it is given out; work is revoked to be even, and given out; twice more after a delay, for what was given out meanwhile; nothing
happens."""

Played = list[tuple[Cluster, WorkAssignment]]


def settles(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """It asks for no other round after MOST_ROUNDS at most: no revocation is endless. Source: KIP-415; KAFKA-12495."""
    rounds = until_rest(assign, cluster)
    if len(rounds) > MOST_ROUNDS or not comes_to_rest(rounds):
        last = rounds[min(len(rounds), MOST_ROUNDS) - 1]
        yield TwoRuns(
            f"after {min(len(rounds), MOST_ROUNDS)} rounds it still asks for another one",
            Run("round 1", *rounds[0]), Run(f"round {min(len(rounds), MOST_ROUNDS)}", *last), REST,
        )  # fmt: skip


def all_run_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it comes to rest, every connector and every task runs on one worker, and nothing else runs. Source: KIP-415."""
    rounds = until_rest(assign, cluster)
    if not comes_to_rest(rounds):
        return
    counts = Counter(item for work in rounds[-1][1].workers.values() for item in work.items)
    configured = cluster.configured.items
    for item in configured:
        if counts[item] != 1:
            where = "on no worker" if not counts[item] else f"on {counts[item]} workers"
            yield _at_rest(rounds, Violation(f"at rest, {item} runs {where}", item))
            return
    for item in counts.keys() - set(configured):
        yield _at_rest(rounds, Violation(f"at rest, {item} runs, which is not configured", item))
        return


def even_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it comes to rest, no worker has two connectors or two tasks more than another one. Source: KAFKA-12495."""
    rounds = until_rest(assign, cluster)
    if not comes_to_rest(rounds):
        return
    for kind, imbalance in (("connectors", connector_imbalance), ("tasks", task_imbalance)):
        if (spread := imbalance(*rounds[-1])) > 1:
            yield _at_rest(rounds, f"at rest, a worker has {spread} {kind} more than another one")
            return


def together_even_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it comes to rest, no worker has two connectors and tasks more than another one, counted together."""
    rounds = until_rest(assign, cluster)
    loads = [len(work.items) for work in rounds[-1][1].workers.values()]
    if comes_to_rest(rounds) and loads and max(loads) - min(loads) > 1:
        yield _at_rest(
            rounds,
            f"at rest, a worker has {max(loads) - min(loads)} connectors and tasks more than another one",
        )


def connectors_spread_at_rest(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When it comes to rest, no worker has two tasks of a connector more than another one.

    Source: KAFKA-17049, where a worker that joins is given all tasks of one connector.
    """
    rounds = until_rest(assign, cluster)
    if comes_to_rest(rounds) and (spread := clustering(*rounds[-1])) > 1:
        yield _at_rest(rounds, f"at rest, a worker has {spread} tasks of a connector more than another one")


def stable(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """At rest, a round in which nothing has happened changes nothing. Source: KIP-415."""
    rounds = until_rest(assign, cluster)
    if not comes_to_rest(rounds):
        return
    again = after(*rounds[-1], wait_ms=1)
    answer = assign(again)
    before = WorkAssignment({worker.id: worker.work for worker in again.workers}, {})
    if not same(before, answer):
        changed = [
            name for name, work in answer.workers.items() if set(work.items) != set(before.workers.get(name, Work()).items)
        ]  # fmt: skip
        what = f"{changed[0]} is given something else" if changed else "something is revoked or waited for"
        yield TwoRuns(
            f"nothing has happened, but {what}", Run("at rest", *rounds[-1]), Run("again", again, answer),
            DIFFERENCES, 1 + len(changed),
        )  # fmt: skip


def revoked_once(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """Until it comes to rest, no connector and no task is taken from two workers one after the other. Source: KIP-415."""
    seen: set[Item] = set()
    configured = set(cluster.configured.items)
    rounds = until_rest(assign, cluster)
    for number, (_, answer) in enumerate(rounds):
        taken = {item for work in answer.revoked.values() for item in work.items if item in configured}
        if again := [item for item in cluster.configured.items if item in taken & seen]:
            yield TwoRuns(
                f"{again[0]} is revoked again in round {number + 1}",
                Run("round 1", *rounds[0]), Run(f"round {number + 1}", *rounds[number]),
            )  # fmt: skip
            return
        seen |= taken


def _at_rest(rounds: Played, sentence: str) -> str:
    if len(rounds) == 1:
        return sentence
    said = sentence if isinstance(sentence, Violation) else Violation(sentence)
    return TwoRuns(
        said, Run("round 1", *rounds[0]), Run(f"round {len(rounds)}", *rounds[-1]), said.of, said.amount
    )
