"""History: what has happened to an application since its tasks were assigned last."""

from collections.abc import Callable, Mapping

from kassay.model.tasks import INT64_MAX, RUNNING, UNKNOWN, TaskId
from kassay.properties.choices import Choices
from kassay.properties.tasks.generating.past import Held, Scene, nothing, ran


def _even(choices: Choices, scene: Scene) -> list[Held]:
    """Nothing: the same clients ran all tasks."""
    return ran(choices, scene)


def _joined(choices: Choices, scene: Scene) -> list[Held]:
    """Some clients have joined, with no state."""
    return ran(choices, scene, there=choices.part(range(len(scene.threads))))


def _left(choices: Choices, scene: Scene) -> list[Held]:
    """Some clients have left, whose tasks are active nowhere."""
    return ran(choices, scene, gone=1 + choices.below(len(scene.threads)))


def _uneven(choices: Choices, scene: Scene) -> list[Held]:
    """Nothing, but tasks were dealt out at random."""
    return ran(choices, scene, anyhow=True)


def _restarted(choices: Choices, scene: Scene) -> list[Held]:
    """All clients have started again with their state on disk, which has fallen behind here and there."""
    held = ran(choices, scene)
    for one in held:
        one.stop()
        for task in one.standby:
            if choices.chance(40):
                one.lags[task] = choices.pick(edges(scene))
    return held


def _behind(choices: Choices, scene: Scene) -> list[Held]:
    """Standbys do not keep up, or only just; a client that joined has begun to restore."""
    held = _joined(choices, scene)
    for one in held:
        for task, log in scene.logs.items():
            if one.lags[task] != RUNNING:
                one.lags[task] = choices.pick((min(scene.acceptable + 1, INT64_MAX), log, log // 2))
    return held


def _unknown(choices: Choices, scene: Scene) -> list[Held]:
    """Some clients do not know how far their state goes."""
    held = ran(choices, scene, there=choices.part(range(len(scene.threads))))
    for at in choices.part(range(len(held))):
        for task, lag in held[at].lags.items():
            if lag != RUNNING and choices.below(4):
                held[at].lags[task] = UNKNOWN
    return held


def _contested(choices: Choices, scene: Scene) -> list[Held]:
    """Two clients claim to run the same active task: one has missed a rebalance."""
    held = ran(choices, scene)
    for _ in range(1 + choices.below(3)):
        task, rival = choices.pick([*scene.logs, *scene.stateless]), choices.pick(held)
        if task not in rival.active:
            rival.active.append(task)
            if task in rival.lags:
                rival.lags[task] = RUNNING
                rival.standby = [other for other in rival.standby if other != task]
    return held


def _changed(choices: Choices, scene: Scene) -> list[Held]:
    """The topology has changed: clients ran tasks that exist no longer, too."""
    held = choices.pick((_even, _joined, _left))(choices, scene)
    _with_vanished(choices, scene, held)
    return held


def _with_vanished(choices: Choices, scene: Scene, held: list[Held]) -> None:
    """Let clients have run some tasks that do not exist: of more partitions, or of a subtopology behind the last one."""
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


def _edges(choices: Choices, scene: Scene) -> list[Held]:
    """Clients have come and gone, and lags are just within what is acceptable, or just beyond."""
    held = choices.pick((_even, _joined, _left))(choices, scene)
    for one in held:
        for task, lag in one.lags.items():
            if lag != RUNNING:
                one.lags[task] = choices.pick(edges(scene))
    return held


def _anyhow(choices: Choices, scene: Scene) -> list[Held]:
    """Clients have joined, left and started again, and lags are anything; or not."""
    number = len(scene.threads)
    there = choices.part(range(number)) if choices.chance(50) else ()
    held = ran(choices, scene, there=there, gone=choices.below(3), anyhow=choices.chance(30))
    for at in choices.some(range(number)) if choices.chance(50) else ():
        held[at].stop()
    odd = choices.pick((20, 0, 60))
    for one in held:
        for task, lag in one.lags.items():
            if lag != RUNNING and choices.chance(odd):
                one.lags[task] = choices.pick((*edges(scene), UNKNOWN))
    if choices.chance(15):
        _with_vanished(choices, scene, held)
    return held


def edges(scene: Scene) -> tuple[int, ...]:
    """Return the lags at which decisions turn."""
    acceptable = scene.acceptable
    return (0, max(0, acceptable - 1), acceptable, min(acceptable + 1, INT64_MAX), 1, INT64_MAX)


HISTORY: Mapping[str, Callable[[Choices, Scene], list[Held]]] = {
    "none": lambda _, scene: nothing(scene),
    "even": _even,
    "joined": _joined,
    "left": _left,
    "uneven": _uneven,
    "restarted": _restarted,
    "behind": _behind,
    "unknown": _unknown,
    "contested": _contested,
    "edges": _edges,
    "changed": _changed,
    "anyhow": _anyhow,
}
"""Kind of history -> what each client ran before, and its lags."""
