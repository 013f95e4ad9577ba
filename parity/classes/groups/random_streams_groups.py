"""Random streams groups as a group coordinator may hand them to an assignor, and worse: a seed gives the same ones everywhere.

Members of one process stand together or not; names collide in Java's tables; what members hold and report is sound, double, of tasks
that are gone, or anything.
"""

import random
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from kassay.model.streams_group import GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId

COLLIDING = (
    "AaAa",
    "BBBB",
    "AaBB",
    "BBAa",
    "CcCc",
    "C#C#",
    "AaC#",
    "BBC#",
    "C#Aa",
    "C#BB",
    "AaAaAa",
    "BBBBBB",
)
HOSTILE = ("", "\u00e9", "\U0001f600", "\uff5e", "0", "-1", "a b", "m" * 200)
Roles: TypeAlias = tuple[list[TaskId], list[TaskId], list[TaskId]]
"""What a member holds as active, standby and warm-up."""
HISTORIES = ("none", "kept", "joined", "left", "restarted", "anyhow")


def stream(seed: int) -> Iterator[StreamsGroup]:
    """Yield groups without end."""
    rng = random.Random(f"{seed} streams-group")
    while True:
        yield _group(rng)


def _group(rng: random.Random) -> StreamsGroup:
    large = rng.random() < 0.02
    subtopologies = tuple(
        Subtopology(number, rng.randint(0, 40 if large else 6), rng.random() < 0.6)
        for number in _numbers(rng, rng.choice((1, 1, 2, 3, 4)))
    )
    number = rng.randint(1, 60) if large else rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 9, 14))
    names = _names(rng, number, "m")
    processes = _processes(rng, number)
    standbys = rng.choice((0, 0, 1, 1, 1, 2, 3, 5))
    tasks = [TaskId(each.id, at) for each in subtopologies for at in range(each.partitions)]
    stateful = [
        task for task in tasks if any(each.id == task.subtopology and each.stateful for each in subtopologies)
    ]
    held = _held(rng, number, tasks, stateful, standbys)
    gone = [TaskId(99, 0), *(TaskId(each.id, each.partitions) for each in subtopologies)]
    stale = rng.random() < 0.1
    offsets = rng.choice((0.0, 0.0, 0.3, 1.0))
    tagged = rng.random() < 0.2
    members = []
    for name, process, roles in zip(names, processes, held, strict=True):
        if stale and rng.random() < 0.3:
            rng.choice(roles).append(rng.choice(gone))
        active, standby, warmup = (list(dict.fromkeys(some)) for some in roles)
        standby = [task for task in standby if task not in active]
        warmup = [task for task in warmup if task not in active and task not in standby]
        for some in (active, standby, warmup):
            if rng.random() < 0.5:
                rng.shuffle(some)
        known = [task for task in stateful if rng.random() < (0.9 if task in standby else 0.4)]
        sums = {task: rng.choice((0, 5, 5, 100, 2**40)) for task in known if rng.random() < offsets}
        members.append(
            StreamsMember(
                name, process, tuple(active), tuple(standby), tuple(warmup), sums,
                {task: 100 for task in sums if rng.random() < 0.7},
                instance_id=f"i{len(members)}" if rng.random() < 0.1 else None,
                rack=rng.choice((None, "a", "b")),
                tags=(("zone", rng.choice("xyz")),) if tagged else (),
            )
        )  # fmt: skip
    settings = GroupSettings(standbys, ("zone",) if tagged and rng.random() < 0.5 else ())
    order = list(range(number))
    if rng.random() < 0.5:
        rng.shuffle(order)
    return StreamsGroup(subtopologies, tuple(members[at] for at in order), settings)


def _numbers(rng: random.Random, number: int) -> Sequence[int]:
    """Choose the ids of subtopologies: as text, 10 stands before 2."""
    return range(number) if rng.random() < 0.7 else rng.sample((0, 1, 2, 9, 10, 11, 100), number)


def _names(rng: random.Random, number: int, letter: str) -> list[str]:
    kind = rng.random()
    if kind < 0.4:
        return [f"{letter}{at}" for at in range(number)]
    if kind < 0.7:
        return [f"{rng.getrandbits(64):016x}-{at}" for at in range(number)]
    if kind < 0.9:
        pool = [one + other for one in COLLIDING for other in COLLIDING]
        return rng.sample(list(dict.fromkeys(pool)), number)
    return (rng.sample(HOSTILE[1:], min(number, 7)) + [f"{letter}{at}" for at in range(number)])[:number]


def _processes(rng: random.Random, number: int) -> list[str]:
    """Name the process of each member: one each, all one, or anything between."""
    kind = rng.random()
    names = _names(rng, max(1, number), "p")
    if kind < 0.3:
        return names[:number]
    few = names[: rng.randint(1, max(1, number))]
    if kind < 0.6:
        size = -(-number // len(few)) if number else 1
        return [few[at // size] for at in range(number)]
    return [rng.choice(few) for _ in range(number)]


def _held(
    rng: random.Random, number: int, tasks: Sequence[TaskId], stateful: Sequence[TaskId], standbys: int
) -> list[Roles]:
    """Choose what each member holds: nothing, what it may have been given before something happened, or anything."""
    held: list[Roles] = [([], [], []) for _ in range(number)]
    history = rng.choice(HISTORIES)
    if history == "none" or not number:
        return held
    if history == "anyhow":
        for roles in held:
            for some, share in zip(roles, (0.3, 0.3, 0.1), strict=True):
                some += [task for task in tasks if rng.random() < share]
        return held
    there = list(range(number))
    if history == "joined":
        there = there[: rng.randint(1, number)]
    gone = [([], [], [])] * rng.randint(1, 2) if history == "left" else []
    present: list[Roles] = [*(held[at] for at in there), *gone]
    rng.shuffle(present)
    _deal(rng, tasks, stateful, present, standbys, role=1 if history == "restarted" else 0)
    for task in tasks:
        if rng.random() < 0.05:
            rng.choice(rng.choice(held)).append(task)
    return held


def _deal(
    rng: random.Random,
    tasks: Sequence[TaskId],
    stateful: Sequence[TaskId],
    present: Sequence[Roles],
    standbys: int,
    *,
    role: int,
) -> None:
    """Deal tasks in turn, or in any order, to those who were present, in a role; nearly all standbys to those behind them."""
    dealt = list(tasks) if rng.random() < 0.5 else rng.sample(list(tasks), len(tasks))
    for at, task in enumerate(dealt):
        holders = [present[(at + n) % len(present)] for n in range(min(len(present), 1 + standbys))]
        holders[0][role].append(task)
        for holder in holders[1:] if task in stateful else ():
            if rng.random() < 0.95:
                holder[1].append(task)
