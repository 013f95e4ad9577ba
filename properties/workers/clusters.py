"""Generators of Connect clusters and timelines, from choices and settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kassay.model.workers import (
    FIVE_MINUTES_MS,
    FORGOTTEN,
    Cluster,
    Connector,
    ConnectorTask,
    Memory,
    Work,
    Worker,
    merge_works,
)
from kassay.properties.choices import Choices, Settings, build_draw
from kassay.properties.workers.timelines import (
    Assign,
    Break,
    Configure,
    Delete,
    Event,
    Join,
    Lead,
    Leave,
    Miss,
    Timeline,
    Wait,
    apply_answer,
    happen,
)

COLLIDING = ("AaAa", "BBBB", "AaBB", "BBAa")
"""Different names with the same String.hashCode."""
HOSTILE = (
    "connect-1-2b6d2ffc-5a1e-4f2e-9d1b-0d6c3c9e5b1a", "a b", 'a"b', "a\nb", "\x00", "null", "-1", "w0-0", "\u00e9", "\u65e5\u672c",
    "w" * 300, "\U0001f600", "\uff5e", "\ue000", "",
)  # fmt: skip
"""Names of any text; on the order of the last ones UTF-16 units (Java) and code points (Python) disagree."""
_POOLS: dict[str, Sequence[str]] = {"colliding": COLLIDING, "hostile": HOSTILE}


def _choose_names(choices: Choices, letter: str, number: int, kind: str) -> list[str]:
    """Return names of a letter and a number, such as w0, w1, ..., others among them by the kind."""
    plain = [f"{letter}{at}" for at in range(number)]
    if kind == "random":
        return [f"{letter}{choices.below(1 << 32):08x}-{at}" for at in range(number)]
    if kind not in _POOLS:
        return plain
    pool = _POOLS[kind]
    start, shift = choices.below(len(pool)), choices.below(max(1, number))
    for at in range(min(1 + choices.below(len(pool)), number)):
        plain[(shift + at) % number] = pool[(start + at) % len(pool)]
    return plain


USUAL: Mapping[str, tuple[int, int]] = {
    "workers": (1, 6),
    "connectors": (1, 5),
    "tasks": (0, 5),
    "tasks_per_worker": (0, 0),
    "churn": (0, 0),
}
"""The default limits: `tasks` of each connector, `churn` changes.

`tasks_per_worker` above 0 replaces `tasks`: the connectors share this number for each worker evenly."""
PLAIN: Mapping[str, Mapping[str, int]] = {
    "history": {"none": 1},
    "names": {"plain": 1},
    "delay": {"usual": 1},
    "order": {"listed": 1},
}
"""The default weights of the kinds."""
DELAYS: Mapping[str, int] = {"usual": FIVE_MINUTES_MS, "none": 0, "short": 100, "one": 1}
"""Kind of delay -> scheduled.rebalance.max.delay.ms."""
SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "small": {},
    "medium": {"workers": (1, 16), "connectors": (0, 12), "tasks": (0, 10)},
    "large": {"workers": (40, 60), "connectors": (10, 30), "tasks": (0, 40)},
}
"""How large clusters of any kind are."""
_WEIGHTS = {"small": 216, "medium": 36, "large": 4}
ANY_HISTORY = {
    "none": 2, "rest": 2, "joined": 4, "left": 5, "returned": 4, "over": 4, "revoked": 3, "created": 2, "deleted": 3, "shrunk": 2,
    "missed": 2, "forgotten": 2, "uneven": 3, "contested": 2,
}  # fmt: skip
"""The weights of the kinds of history."""
ANY: Mapping[str, Mapping[str, int]] = {
    "names": {"plain": 60, "random": 20, "colliding": 10, "hostile": 10},
    "delay": {"usual": 6, "none": 2, "short": 1, "one": 1},
    "order": {"listed": 3, "shuffled": 1},
}


def choose_settings(
    choices: Choices, history: Mapping[str, int] = ANY_HISTORY, churn: tuple[int, int] = (0, 0)
) -> Settings:
    """Choose settings for clusters of every kind: mostly small, sometimes medium, rarely large."""
    size = SIZES[choices.pick_weighted(_WEIGHTS)]
    return Settings({**USUAL, **size, "churn": churn}, {**ANY, "history": history}, {})


EVEN, GENERATION = 1_000, 5
"""The time of the last round of a running cluster, in milliseconds, and its generation."""


def with_history(choices: Choices, cluster: Cluster, newcomer: str, kind: str) -> Cluster:
    """Return a cluster with a kind of history; `newcomer` is the id of a worker that joins."""
    if kind == "none":
        return cluster
    if kind in {"uneven", "contested"}:
        before = _scatter_work(choices, cluster)
    else:  # converged: everything runs in turn, connectors and tasks each evenly
        configured, number = cluster.configured, len(cluster.workers)
        works = (Work(configured.connectors[n::number], configured.tasks[n::number]) for n in range(number))
        before = _run_workers(
            cluster, [replace(w, work=work) for w, work in zip(cluster.workers, works, strict=True)]
        )
    return _HAPPENED[kind](choices, before, newcomer)


def _run_workers(cluster: Cluster, workers: Sequence[Worker]) -> Cluster:
    """Return the cluster at its next round, in which the leader remembers that it gave workers what they run."""
    memory = Memory(
        GENERATION, tuple(worker.id for worker in workers), merge_works(worker.work for worker in workers)
    )
    return replace(
        cluster, workers=tuple(workers), time_ms=EVEN, generation=GENERATION + 1, last_completed_generation=GENERATION, memory=memory
    )  # fmt: skip


def _scatter_work(choices: Choices, cluster: Cluster) -> Cluster:
    """Let any workers run the work."""
    connectors: list[list[str]] = [[] for _ in cluster.workers]
    tasks: list[list[ConnectorTask]] = [[] for _ in cluster.workers]
    for name in cluster.configured.connectors:
        choices.pick(connectors).append(name)
    for task in cluster.configured.tasks:
        choices.pick(tasks).append(task)
    works = [Work(tuple(some), tuple(others)) for some, others in zip(connectors, tasks, strict=True)]
    return _run_workers(
        cluster, [replace(worker, work=work) for worker, work in zip(cluster.workers, works, strict=True)]
    )


def _add_worker(cluster: Cluster, newcomer: str) -> Cluster:
    return replace(cluster, workers=(*cluster.workers, Worker(newcomer)))


def _remove_worker(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a worker leave, whose work is lost; the last one stays."""
    if len(cluster.workers) < 2:
        return cluster
    gone = choices.below(len(cluster.workers))
    left = tuple(worker for at, worker in enumerate(cluster.workers) if at != gone)
    return replace(cluster, workers=left)


def _start_delay(choices: Choices, cluster: Cluster) -> Cluster:
    """Let a worker have left a round ago, so that its work is waited for."""
    left = _remove_worker(choices, cluster, "")
    if left is cluster or not cluster.max_delay_ms:
        return left
    empty = tuple(worker.id for worker in left.workers if not worker.work.items)
    memory = replace(
        left.memory,
        generation=left.generation,
        members=tuple(worker.id for worker in left.workers),
        candidates=empty,
        scheduled_rebalance_ms=left.time_ms + left.max_delay_ms,
        delay_ms=left.max_delay_ms,
    )
    return replace(
        left, memory=memory, generation=left.generation + 1, last_completed_generation=left.generation
    )


def _let_return(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let a worker join under a new id before the delay is over."""
    waiting = _add_worker(_start_delay(choices, cluster), newcomer)
    return replace(waiting, time_ms=waiting.time_ms + cluster.max_delay_ms // 2)


def _end_delay(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let the delay be over, with or without a worker that came back."""
    waiting = _start_delay(choices, cluster)
    if choices.chance(50) and waiting.memory.scheduled_rebalance_ms:
        back = replace(waiting.memory, candidates=(*waiting.memory.candidates, newcomer))
        waiting = replace(_add_worker(waiting, newcomer), memory=back)
    return replace(waiting, time_ms=waiting.time_ms + cluster.max_delay_ms + choices.below(2))


def _revoke_for_newcomer(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let a worker have joined a round ago, for which others have stopped some of their work."""
    joined = _add_worker(cluster, newcomer)
    number, configured = len(joined.workers), cluster.configured
    most = -(-len(configured.connectors) // number), -(-len(configured.tasks) // number)
    works = {
        w.id: Work(
            w.work.connectors[-most[0] :] if most[0] else (), w.work.tasks[-most[1] :] if most[1] else ()
        )
        for w in joined.workers
    }
    taken = [
        Work(
            tuple(name for name in worker.work.connectors if name not in works[worker.id].connectors),
            tuple(task for task in worker.work.tasks if task not in works[worker.id].tasks),
        )
        for worker in joined.workers
    ]
    workers = [replace(worker, work=works[worker.id]) for worker in joined.workers]
    after = _run_workers(joined, workers)
    revocation = merge_works(taken)
    memory = replace(after.memory, revocation=revocation, revoked=bool(revocation.items))
    stopped = workers if choices.chance(75) else joined.workers  # or the workers did not get the answer
    return replace(after, memory=memory, workers=tuple(stopped))


def _delete_connectors(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a connector be deleted; workers still run it."""
    return replace(cluster, connectors=choices.part(cluster.connectors)) if cluster.connectors else cluster


def _let_miss(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a worker have none of its assigned work."""
    late = choices.below(len(cluster.workers))
    workers = tuple(
        replace(worker, work=Work()) if at == late else worker for at, worker in enumerate(cluster.workers)
    )
    return replace(cluster, workers=workers)


def _change_leader(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let another worker lead, that remembers nothing, perhaps because the leader left."""
    changed = _remove_worker(choices, cluster, newcomer) if choices.chance(50) else cluster
    changed = _delete_connectors(choices, changed, newcomer) if choices.chance(25) else changed
    if choices.chance(25):  # it led before, and completed the last round for another worker
        return replace(
            changed,
            last_completed_generation=changed.last_completed_generation + 1,
            generation=GENERATION + 2,
        )
    return replace(changed, memory=FORGOTTEN)


def _add_contested(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a worker come back that still runs work assigned to another one meanwhile."""
    one, other = choices.below(len(cluster.workers)), choices.below(len(cluster.workers))
    workers = list(cluster.workers)
    taken = Work(choices.some(workers[other].work.connectors), choices.some(workers[other].work.tasks))
    workers[one] = replace(workers[one], work=merge_works([workers[one].work, taken]))
    return replace(cluster, workers=tuple(workers))


_HAPPENED: Mapping[str, Callable[[Choices, Cluster, str], Cluster]] = {
    "rest": lambda _choices, cluster, _newcomer: cluster,
    "joined": lambda _, cluster, newcomer: _add_worker(cluster, newcomer),
    "left": _remove_worker,
    "returned": _let_return,
    "over": _end_delay,
    "revoked": _revoke_for_newcomer,
    "created": lambda _, cluster, newcomer: replace(
        cluster, connectors=(*cluster.connectors, Connector(f"new-{newcomer}", len(cluster.workers)))
    ),
    "deleted": _delete_connectors,
    # Connectors have other numbers of tasks.
    "shrunk": lambda choices, cluster, _: replace(
        cluster,
        connectors=tuple(replace(one, tasks=choices.below(one.tasks + 2)) for one in cluster.connectors),
    ),
    "missed": _let_miss,
    "forgotten": _change_leader,
    "contested": _add_contested,
    "uneven": lambda _choices, cluster, _newcomer: cluster,
}


def generate_cluster(choices: Choices, settings: Settings) -> Cluster:
    """Generate a cluster: new, converged, or with a history."""
    kind = settings.kind(choices, "names")
    number = settings.number(choices, "workers")
    names = _choose_names(choices, "c", settings.number(choices, "connectors"), kind)
    each = settings.number(choices, "tasks_per_worker") * number
    connectors = tuple(
        Connector(
            name, each // len(names) + (at < each % len(names)) if each else settings.number(choices, "tasks")
        )
        for at, name in enumerate(names)
    )
    ids = _choose_names(choices, "w", number + 1, kind)
    most = DELAYS[settings.kind(choices, "delay")]
    order = settings.kind(choices, "order")
    listed = choices.pick_order(ids[:number]) if order == "shuffled" else ids[:number]
    made = Cluster(connectors, tuple(map(Worker, listed)), most, last_completed_generation=-1)
    return with_history(choices, made, ids[number], settings.kind(choices, "history"))


def timeline(choices: Choices, settings: Settings) -> Timeline:
    """Generate a cluster with its events."""
    start = generate_cluster(choices, settings)
    events, known = [], replace(start, memory=start.memory)
    for at in range(settings.number(choices, "churn")):
        happened, known = choose_event(choices, known, at)
        events.append(happened)
    return Timeline(start, tuple(events))


MOST_TASKS = 6
_KINDS = {
    "wait": 6, "moment": 4, "join": 5, "leave": 5, "configure": 3, "delete": 2, "miss": 2, "break": 1, "lead": 1,
}  # fmt: skip


def choose_event(choices: Choices, cluster: Cluster, at: int) -> tuple[Event, Cluster]:
    """Choose the `at`-th event; return it with the cluster after it, for any assignments."""
    kind = choices.pick_weighted(_KINDS)
    if kind == "configure" and cluster.connectors and choices.chance(50):
        name = choices.pick(cluster.connectors).name
    else:
        name = f"e{at}"
    happened: Event = Wait()
    match kind:
        case "moment":
            happened = Wait(choices.below(200))
        case "join":
            happened = Join(f"j{at}")
        case "leave":
            happened = Leave(choices.pick(cluster.workers).id)
        case "delete" if cluster.connectors:
            happened = Delete(choices.pick(cluster.connectors).name)
        case "configure" | "delete":
            happened = Configure(name, choices.below(MOST_TASKS))
        case "miss":
            happened = Miss(choices.pick(cluster.workers).id)
        case "break":
            happened = Break()
        case "lead":
            happened = Lead()
    return happened, happen(cluster, happened)


NUMBERS: Mapping[str, tuple[int, int]] = {
    "workers": (1, 10_000),
    "connectors": (1, 10_000),
    "tasks": (0, 10_000),
    "tasks_per_worker": (0, 1_000),
    "churn": (0, 1_000),
}
"""The widest limits of numbers, which are drawn uniformly; the usual limits are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "history": (
        "none", "rest", "joined", "left", "returned", "over", "revoked", "created", "deleted", "shrunk", "missed", "forgotten",
        "uneven", "contested",
    ),
    "names": ("plain", "random", "colliding", "hostile"),
    "delay": ("usual", "none", "short", "one"),
    "order": ("listed", "shuffled"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""The kinds that are drawn by weight for each cluster, the first kind if no weights are given. With the shape `anything`, which
`kassay check` tries, all other settings but `churn` are ignored.
"""

draw = build_draw(timeline, USUAL, PLAIN, KINDS, choose_settings)


def build_new_cluster(_: Assign, size: int) -> Cluster:
    """Build a new cluster of workers with two connectors of eight tasks for each."""
    connectors = tuple(Connector(f"c{at}", 8) for at in range(2 * size))
    return Cluster(connectors, tuple(Worker(f"w{at}") for at in range(size)))


def build_joined_cluster(assign: Assign, size: int) -> Cluster:
    """Build such a cluster that a worker joins after its first round."""
    first = build_new_cluster(assign, size)
    running = apply_answer(first, assign(first), wait_ms=1)
    return replace(running, workers=(*running.workers, Worker("n0")))


GROWING: Mapping[str, Callable[[Assign, int], Cluster]] = {
    "new workers": build_new_cluster,
    "workers that one joins": build_joined_cluster,
}
"""Kind of growth -> the cluster for an assignor and a size, which is doubled each time."""
