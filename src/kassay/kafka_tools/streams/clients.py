"""The clients of an application: what each process runs, and how far it lags behind, as far as listings tell."""

from collections.abc import Collection, Mapping, Sequence

from kassay.kafka_tools.place import Assumed, plural, some
from kassay.kafka_tools.streams.processes import Process
from kassay.kafka_tools.streams.subtopologies import Holders
from kassay.model import TopicPartition
from kassay.model.tasks import RUNNING, UNKNOWN, Client, Task, TaskId


def clients(
    processes: Sequence[Process],
    tasks: Sequence[Task],
    holders: Holders,
    end_offsets: Mapping[TopicPartition, int] | None,
    racks: Mapping[str, str | None],
    warnings: list[str],
) -> tuple[Client, ...]:
    """Return a client for each process, with a consumer for each thread; say what is assumed of lags.

    A process runs the tasks of the partitions that its threads hold. A task whose changelogs' end offsets are known lags by their
    sum elsewhere, as Kafka counts a client without its state; UNKNOWN where they are not.
    """
    runs: dict[str, dict[TaskId, int]] = {row.id: {} for one in processes for row in one.threads}
    for task in tasks:
        for member in {member for read in task.inputs for member in holders.get(read, ())}:
            runs[member][task.id] = RUNNING
    ends = _ends(tasks, end_offsets or {})
    warnings += _assumptions(tasks, {task for of_thread in runs.values() for task in of_thread}, ends)
    found = []
    for one in processes:
        consumers = {row.id: runs[row.id] for row in one.threads}
        own = {task for of_thread in consumers.values() for task in of_thread}
        lags = {task: RUNNING if task in own else end for task, end in ends.items()}
        found.append(
            Client(
                one.id,
                len(one.threads),
                tuple(sorted(own)),
                lags=lags,
                rack=racks[one.id],
                consumers=consumers,
            )
        )
    return tuple(found)


def _ends(tasks: Sequence[Task], end_offsets: Mapping[TopicPartition, int]) -> dict[TaskId, int]:
    """Return of each stateful task how much a client without its state has to restore, UNKNOWN where that is not known."""
    return {
        task.id: sum(end_offsets[one] for one in task.changelogs)
        if all(one in end_offsets for one in task.changelogs)
        else UNKNOWN
        for task in tasks
        if task.stateful
    }


def _assumptions(tasks: Sequence[Task], active: Collection[TaskId], ends: Mapping[TaskId, int]) -> list[str]:
    said = []
    idle = [task.id for task in tasks if task.id not in active]
    if idle:
        said.append(
            f"no member holds what {plural(len(idle), 'task')} would read ({some(idle, len(idle))}): no client runs them"
        )
    unknown = [task for task, end in ends.items() if end == UNKNOWN]
    if ends:
        said.append(
            Assumed(
                "LAG is that of source topics, not of state: a client is taken to have the whole state of a task that it runs"
                + (", and none of any other" if len(unknown) < len(ends) else "")
            )
        )
    if unknown:
        said.append(
            Assumed(
                f"how much of {plural(len(unknown), 'task')} a client has that does not run them is not known "
                f"({some(unknown, len(unknown))}); --end-offsets FILE gives what kafka-get-offsets prints of the changelogs"
            )
        )
    return said
