"""Give the tasks of a client to its threads: a thread keeps the stateful tasks it had, as far as its share goes.

Each thread is a consumer of the group. Shares differ by one task at most, all roles taken together.

Source: StreamsPartitionAssignor.assignTasksToThreads of kafka-streams 4.3.
"""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kassay.model.tasks import Client, Given, TaskId
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.java.strings import string_order
from kassay.reference.streams.client_state import task_order

Consumers: TypeAlias = Mapping[str, Collection[TaskId]]
"""Of each consumer of a client the tasks of which it had state before."""


class ThreadTasks(NamedTuple):
    """The tasks of one thread, each role in the order in which Kafka assigns it."""

    stateful: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]
    stateless: tuple[TaskId, ...]

    @property
    def active(self) -> tuple[TaskId, ...]:
        """Its active tasks, stateful ones first."""
        return self.stateful + self.stateless


@dataclass(slots=True)
class _Role:
    """The tasks of one role while they are given to consumers, each of which has room for some until it has the least share."""

    given: dict[str, list[TaskId]]
    room: dict[str, int]
    left: PriorityQueue[TaskId]

    def give(self, task: TaskId, consumer: str) -> None:
        self.left.remove(task)
        self.given[consumer].append(task)


def assign_threads(client: Client, given: Given, consumers: Consumers) -> dict[str, ThreadTasks]:
    """Give a client's tasks to its consumers: stateful active ones, then standbys, then stateless ones.

    A task is stateful where the client has a lag of it. Tasks come as the assignors of Kafka's own that are named "legacy" leave
    them: active ones in hash sets filled in ascending order, standbys in a sorted set.
    """
    active = sorted(given.active)
    stateful = task_order(task for task in active if task in client.lags)
    stateless = task_order(task for task in active if task not in client.lags)
    one, load = assign_role(stateful, consumers, client.lags, {}, stateful=True)
    two, load = assign_role(sorted(given.standby), consumers, client.lags, load, stateful=True)
    three, _ = assign_role(stateless, consumers, client.lags, load, stateful=False)
    return {each: ThreadTasks(tuple(one[each]), tuple(two[each]), tuple(three[each])) for each in one}


def assign_role(
    tasks: Collection[TaskId],
    consumers: Consumers,
    lags: Mapping[TaskId, int],
    load: Mapping[str, int],
    *,
    stateful: bool,
) -> tuple[dict[str, list[TaskId]], dict[str, int]]:
    """Give tasks of one role, in the iteration order of their set, to consumers; return consumer -> tasks, and the new load.

    `load` is the number of tasks that each consumer has in other roles; `lags` are the lags of the client.
    """
    least = (len(tasks) + sum(load.values())) // len(consumers)
    order = sorted(consumers, key=string_order)
    room = {consumer: least - load.get(consumer, 0) for consumer in order}
    role = _Role({consumer: [] for consumer in order}, room, PriorityQueue(lambda task: task, tasks))
    if tasks:
        wanted = _keep(role, consumers, lags) if stateful else {}
        _fill(role)
        _deal_rest(role, wanted)
    return role.given, {**load, **{each: load.get(each, 0) + len(role.given[each]) for each in order}}


def _keep(role: _Role, consumers: Consumers, lags: Mapping[TaskId, int]) -> dict[TaskId, str]:
    """Let each consumer keep what it had, least lag first, while it has room; return what else they had, and who."""
    wanted = {}
    for consumer, tasks in role.given.items():
        known = (task for task in consumers[consumer] if task in lags)
        for task in sorted(known, key=lambda task: (lags[task], task)):
            if task not in role.left:
                continue
            if len(tasks) < role.room[consumer]:
                role.give(task, consumer)
            else:
                wanted[task] = consumer
    return wanted


def _fill(role: _Role) -> None:
    """Deal the tasks out in ascending order to the consumers in turn that have room."""
    turns = deque(consumer for consumer, tasks in role.given.items() if len(tasks) < role.room[consumer])
    while turns:
        if not role.left:
            raise ValueError("load: too uneven for these tasks. Give loads that differ by 1 at most")
        consumer = turns.popleft()
        role.given[consumer].append(role.left.poll())
        if len(role.given[consumer]) < role.room[consumer]:
            turns.append(consumer)


def _deal_rest(role: _Role, wanted: Mapping[TaskId, str]) -> None:
    """Give one more task to consumers with the least share: one each had before where there is one, else as they lie in the heap."""
    turns = [consumer for consumer, tasks in role.given.items() if len(tasks) == role.room[consumer]]
    for task, consumer in sorted(wanted.items()):
        if consumer in turns and task in role.left:
            role.give(task, consumer)
            turns.remove(consumer)
    for task, consumer in zip(list(role.left), turns, strict=False):
        role.give(task, consumer)
