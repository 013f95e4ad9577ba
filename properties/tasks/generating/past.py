"""Past: what the clients of an application ran before, what state they have kept, and how far it lags."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kassay.model.tasks import RUNNING, UNKNOWN, TaskId
from kassay.properties.choices import Choices

LOGS = (100_000, 10_001, 1_000, 50_000, 101, 3)
"""How many records the changelogs of a task have."""
CLOSE = (0, 0, 0, 1, 7, 60)
"""How far a standby lags that keeps up."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a history is chosen for: the stateful tasks with the number of records of their changelogs, the other tasks.

    Also the clients' threads, and what the settings say of standbys and of lags.
    """

    logs: dict[TaskId, int]
    stateless: Sequence[TaskId]
    threads: Sequence[int]
    standbys: int
    acceptable: int


@dataclass(slots=True)
class Held:
    """What one client ran before, and its lags."""

    lags: dict[TaskId, int]
    active: list[TaskId] = field(default_factory=list)
    standby: list[TaskId] = field(default_factory=list)

    def stop(self) -> None:
        """Stop the active tasks: what they have on disk counts as standbys, as a client that starts reports it."""
        self.standby = sorted([*self.standby, *(task for task in self.active if task in self.lags)])
        self.active = []
        for task in self.standby:
            if self.lags[task] == RUNNING:
                self.lags[task] = 0

    def offset_sum(self, task: TaskId, logs: dict[TaskId, int]) -> int:
        """Return what its consumer reports of a task that it ran, 0 of a standby that exists no longer."""
        if task in self.standby and task not in logs:
            return 0
        lag = self.lags.get(task, RUNNING)
        return lag if lag in (RUNNING, UNKNOWN) else max(0, logs[task] - lag)


def nothing(scene: Scene) -> list[Held]:
    """Return clients that have run nothing: each task has all to restore."""
    return [Held(dict(scene.logs)) for _ in scene.threads]


def ran(
    choices: Choices, scene: Scene, *, there: Sequence[int] = (), gone: int = 0, anyhow: bool = False
) -> list[Held]:
    """Return clients that ran all tasks, with standbys that keep up.

    Those `there` did, by their numbers, or all; the `gone` as well, who are clients no more. Each task fell to a thread in
    turn, or to a client `anyhow`.
    """
    present = list(there or range(len(scene.threads)))
    held = nothing(scene)
    held += [Held(dict(scene.logs)) for _ in range(gone)]
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
