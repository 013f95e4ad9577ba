"""The history of a generated application: previous tasks and lags of its clients, and events between its rebalances."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from kassay.model import Topic
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Client, TaskId
from kassay.properties.choices import Choices
from kassay.properties.tasks.timelines import (
    Alter,
    CleanUp,
    Configure,
    Event,
    Join,
    Leave,
    Probe,
    Relocate,
    Restart,
    Restore,
    Scale,
    Stop,
)

LOGS = (100_000, 10_001, 1_000, 50_000, 101, 3)
"""The number of records in the changelogs of a task."""
CLOSE = (0, 0, 0, 1, 7, 60)
"""The lag of a standby that keeps up."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The input of a history: stateful tasks with the records of their changelogs, stateless tasks, threads and settings."""

    logs: dict[TaskId, int]
    stateless: Sequence[TaskId]
    threads: Sequence[int]
    standbys: int
    acceptable: int


@dataclass(slots=True)
class PastClient:
    """The previous tasks and the lags of one client."""

    lags: dict[TaskId, int]
    active: list[TaskId] = field(default_factory=list)
    standby: list[TaskId] = field(default_factory=list)

    def stop(self) -> None:
        """Stop the active tasks: their state on disk counts as standbys, as a starting client reports it."""
        self.standby = sorted([*self.standby, *(task for task in self.active if task in self.lags)])
        self.active = []
        for task in self.standby:
            if self.lags[task] == RUNNING:
                self.lags[task] = 0

    def offset_sum(self, task: TaskId, logs: dict[TaskId, int]) -> int:
        """Return the offset sum that its consumer reports for a task, 0 for a standby that does not exist any more."""
        if task in self.standby and task not in logs:
            return 0
        lag = self.lags.get(task, RUNNING)
        return lag if lag in (RUNNING, UNKNOWN) else max(0, logs[task] - lag)


def start_clients(scene: Scene) -> list[PastClient]:
    """Return new clients, which have to restore all state."""
    return [PastClient(dict(scene.logs)) for _ in scene.threads]


def run_tasks(
    choices: Choices, scene: Scene, *, there: Sequence[int] = (), gone: int = 0, anyhow: bool = False
) -> list[PastClient]:
    """Return clients that ran all tasks, with standbys that keep up.

    `there` are the numbers of the clients that ran tasks, all by default. `gone` clients did too, and have left. Tasks were
    assigned to threads in turn, or to any clients if `anyhow`.
    """
    present = list(there or range(len(scene.threads)))
    held = start_clients(scene)
    held += [PastClient(dict(scene.logs)) for _ in range(gone)]
    threads = [*scene.threads, *[scene.threads[present[0]]] * gone]
    present += range(len(scene.threads), len(threads))
    seats = [at for turn in range(max(threads)) for at in present if threads[at] > turn]
    first = choices.below(len(seats))
    for n, task in enumerate([*scene.logs, *scene.stateless]):
        owner = choices.pick(present) if anyhow else seats[(first + n) % len(seats)]
        held[owner].active.append(task)
        if task in scene.logs:
            held[owner].lags[task] = RUNNING
            place = present.index(owner)
            for copy in range(min(scene.standbys, len(present) - 1)):
                keeper = held[present[(place + 1 + copy) % len(present)]]
                keeper.standby.append(task)
                keeper.lags[task] = min(choices.pick(CLOSE), scene.logs[task])
    return held[: len(scene.threads)]


def _let_join(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let some clients join, without state."""
    return run_tasks(choices, scene, there=choices.part(range(len(scene.threads))))


def _let_leave(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let some clients leave, so that their tasks are active nowhere."""
    return run_tasks(choices, scene, gone=1 + choices.below(len(scene.threads)))


def _restart_all(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let all clients restart with their state on disk, which lags in places."""
    held = run_tasks(choices, scene)
    for one in held:
        one.stop()
        for task in one.standby:
            if choices.chance(40):
                one.lags[task] = choices.pick(list_edge_lags(scene))
    return held


def _delay_standbys(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let standbys lag, and let a client that joined have begun to restore."""
    held = _let_join(choices, scene)
    for one in held:
        for task, log in scene.logs.items():
            if one.lags[task] != RUNNING:
                one.lags[task] = choices.pick((min(scene.acceptable + 1, INT64_MAX), log, log // 2))
    return held


def _forget_lags(choices: Choices, scene: Scene) -> list[PastClient]:
    """Make the lags of some clients unknown."""
    held = run_tasks(choices, scene, there=choices.part(range(len(scene.threads))))
    for at in choices.part(range(len(held))):
        for task, lag in held[at].lags.items():
            if lag != RUNNING and choices.below(4):
                held[at].lags[task] = UNKNOWN
    return held


def _add_rivals(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let two clients claim the same active task: one has missed a rebalance."""
    held = run_tasks(choices, scene)
    for _ in range(1 + choices.below(3)):
        task, rival = choices.pick([*scene.logs, *scene.stateless]), choices.pick(held)
        if task not in rival.active:
            rival.active.append(task)
            if task in rival.lags:
                rival.lags[task] = RUNNING
                rival.standby = [other for other in rival.standby if other != task]
    return held


def _with_vanished(choices: Choices, scene: Scene, held: list[PastClient]) -> None:
    """Let clients have run tasks that do not exist: of more partitions, or of a subtopology behind the last one."""
    tasks = [*scene.logs, *scene.stateless]
    if not tasks:
        return
    beyond = TaskId(*(1 + max(task[at] for task in tasks) for at in (0, 1)))
    for _ in range(1 + choices.below(3)):
        task = choices.pick(tasks)
        gone = choices.pick(
            (
                TaskId(task.subtopology, beyond.partition + choices.below(20)),
                TaskId(beyond.subtopology + choices.below(9), task.partition),
            )
        )
        one = choices.pick(held)
        if gone not in (*one.active, *one.standby):
            choices.pick((one.active, one.standby)).append(gone)


def _let_come_and_go(choices: Choices, scene: Scene) -> list[PastClient]:
    """Keep the clients, or let some join or some leave."""
    return (run_tasks, _let_join, _let_leave)[choices.below(3)](choices, scene)


def _change_topology(choices: Choices, scene: Scene) -> list[PastClient]:
    """Change the topology: clients also ran tasks that do not exist any more."""
    held = _let_come_and_go(choices, scene)
    _with_vanished(choices, scene, held)
    return held


def _set_edge_lags(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let clients join and leave, with lags just within the acceptable lag, or just beyond."""
    held = _let_come_and_go(choices, scene)
    for one in held:
        for task, lag in one.lags.items():
            if lag != RUNNING:
                one.lags[task] = choices.pick(list_edge_lags(scene))
    return held


def _mix_histories(choices: Choices, scene: Scene) -> list[PastClient]:
    """Let clients join, leave and restart, with any lags; or not."""
    number = len(scene.threads)
    there = choices.part(range(number)) if choices.chance(50) else ()
    held = run_tasks(choices, scene, there=there, gone=choices.below(3), anyhow=choices.chance(30))
    for at in choices.some(range(number)) if choices.chance(50) else ():
        held[at].stop()
    odd = choices.pick((20, 0, 60))
    for one in held:
        for task, lag in one.lags.items():
            if lag != RUNNING and choices.chance(odd):
                one.lags[task] = choices.pick((*list_edge_lags(scene), UNKNOWN))
    if choices.chance(15):
        _with_vanished(choices, scene, held)
    return held


def list_edge_lags(scene: Scene) -> tuple[int, ...]:
    """Return the lags at which decisions change."""
    acceptable = scene.acceptable
    return (0, max(0, acceptable - 1), acceptable, min(acceptable + 1, INT64_MAX), 1, INT64_MAX)


HISTORY: Mapping[str, Callable[[Choices, Scene], list[PastClient]]] = {
    "none": lambda _, scene: start_clients(scene),
    "even": run_tasks,
    "joined": _let_join,
    "left": _let_leave,
    "uneven": lambda choices, scene: run_tasks(choices, scene, anyhow=True),
    "restarted": _restart_all,
    "behind": _delay_standbys,
    "unknown": _forget_lags,
    "contested": _add_rivals,
    "edges": _set_edge_lags,
    "changed": _change_topology,
    "anyhow": _mix_histories,
}
"""Kind of history -> the function that returns the previous tasks and lags of the clients."""


BACK = 50
"""Percentage of cases in which a client that stopped restarts with the next event."""
BEHIND = (0, 100, 10_000, 10_001, 50_000)
"""The records by which a changelog has grown if a client restarts; also about Kafka's acceptable.recovery.lag."""
RESTORED = (None, 1_000, 30_000)
THREADS = (1, 4)
USUAL: Mapping[str, int] = {
    "probe": 4, "join": 4, "leave": 3, "stop": 4, "restore": 1, "clean up": 2, "alter": 2, "relocate": 1, "scale": 1,
    "configure": 1,
}  # fmt: skip
"""The default weights of the kinds of events."""


def choose_events(
    choices: Choices, application: Application, number: int, weights: Mapping[str, int] = USUAL
) -> tuple[Event, ...]:
    """Choose a number of events of an application."""
    running = _Running(application)
    happening: list[Event] = []
    for _ in range(number):
        if running.stopped and choices.chance(BACK):
            running.ids.append(running.stopped.pop())
            happening.append(Restart(running.ids[-1], choices.pick(BEHIND)))
        else:
            happening.append(EVENTS[choices.pick_weighted(weights)](choices, running))
    return tuple(happening)


@dataclass
class _Running:
    """An application after its events: the present and the stopped clients, the topics and settings."""

    application: Application
    stopped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ids = [client.id for client in self.application.clients]
        self.topics = {topic.name: topic for topic in self.application.topics}
        self.sources = sorted({read.topic for task in self.application.tasks for read in task.inputs})
        self.racks = list(dict.fromkeys(client.rack for client in self.application.clients))
        self.tags = list(dict.fromkeys(client.tags for client in self.application.clients))
        self.read_values = {UUID(name).int for name in self.ids}

    def some_id(self, choices: Choices) -> str | None:
        """Choose and remove a client, None if only one is left."""
        return self.ids.pop(choices.below(len(self.ids))) if len(self.ids) > 1 else None

    def new_id(self, choices: Choices) -> str:
        """Choose an id that no client has had: low or high, before or behind the others."""
        at = choices.pick((1, 1 << 126)) + choices.below(1 << 16)
        while at in self.read_values:
            at += 1
        self.read_values.add(at)
        return str(UUID(int=at))


def _join(choices: Choices, running: _Running) -> Event:
    name = running.new_id(choices)
    running.ids.append(name)
    threads, tags = choices.pick_between(THREADS), choices.pick(running.tags)
    return Join(Client(name, threads, tags=tags, rack=choices.pick(running.racks)))


def _leave(choices: Choices, running: _Running) -> Event:
    name = running.some_id(choices)
    return Probe() if name is None else Leave(name)


def _stop(choices: Choices, running: _Running) -> Event:
    name = running.some_id(choices)
    if name is None:
        return Probe()
    running.stopped.append(name)
    return Stop(name)


def _alter(choices: Choices, running: _Running) -> Event:
    """Add up to two partitions to a source topic, and move its replicas if racks are known."""
    if not running.sources:
        return Probe()
    topic = running.topics[choices.pick(running.sources)]
    count = topic.partitions + choices.below(3)
    racks = None if topic.racks is None else tuple((choices.pick(running.racks),) for _ in range(count))
    running.topics[topic.name] = Topic(topic.name, count, racks)
    return Alter(running.topics[topic.name])


def _configure(choices: Choices, running: _Running) -> Event:
    settings = replace(
        running.application.settings,
        num_standby_replicas=choices.below(3),
        max_warmup_replicas=1 + choices.below(4),
        acceptable_recovery_lag=choices.pick((10_000, 0, INT64_MAX)),
        rack_aware_assignment_strategy=choices.pick(STRATEGIES),
    )
    return Configure(settings)


EVENTS: Mapping[str, Callable[[Choices, _Running], Event]] = {
    "probe": lambda _choices, _running: Probe(),
    "join": _join,
    "leave": _leave,
    "stop": _stop,
    "restore": lambda choices, running: Restore(choices.pick(running.ids), choices.pick(RESTORED)),
    "clean up": lambda choices, running: CleanUp(choices.pick(running.ids)),
    "alter": _alter,
    "relocate": lambda choices, running: Relocate(choices.pick(running.ids), choices.pick(running.racks)),
    "scale": lambda choices, running: Scale(choices.pick(running.ids), choices.pick_between(THREADS)),
    "configure": _configure,
}
"""Kind of event -> the function that chooses it; an impossible event becomes a probing rebalance."""
