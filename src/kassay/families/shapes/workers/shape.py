"""The record of the shape of connectors, tasks and workers.

Connect's clusters and what workers are given as tables of text, for people.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kassay.model.workers import FIVE_MINUTES_MS, NOTHING, Cluster, ConnectorTask, Item, Work, WorkAssignment
from kassay.model.workers_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)
from kassay.properties.runs import Run, ranges
from kassay.properties.workers import clusters as sampler
from kassay.properties.workers.clusters import USUAL
from kassay.properties.workers.measures import lost
from kassay.properties.workers.rounds import ROUNDS, present, same
from kassay.properties.workers.shrinking import smaller
from kassay.properties.workers.timelines import changed as at_next
from kassay.properties.workers.timelines import play
from kassay.shape import Sampler, Shape, TextTable

NOBODY = "(nobody)"


def show(cluster: Cluster, assignments: Mapping[str, WorkAssignment]) -> TextTable:
    """Show workers with what they run, and what each answer leaves and gives them; then what nobody has."""
    works = {worker.id: worker.work for worker in cluster.workers}
    running = any(work.items for work in works.values())
    strangers = sorted({name for one in assignments.values() for name in one.workers} - set(works))
    rows = [
        [
            name,
            *([written(works[name]) if name in works else "(no worker)"] if running or strangers else []),
            *(_given(works.get(name, NOTHING), one.workers.get(name)) for one in assignments.values()),
        ]
        for name in [*works, *strangers]
    ]
    idle = [_idle(cluster, one) for one in assignments.values()]
    missing = _work(set(cluster.configured.items) - {item for work in works.values() for item in work.items})
    if any(idle) or (running and missing.items):
        rows.append([NOBODY, *([written(missing)] if running or strangers else []), *idle])
    columns = ["worker", *(["runs now"] if running or strangers else []), *assignments]
    return TextTable(columns, rows, "; ".join(_notes(cluster, assignments, rows)))


def show_change(before: Run, after: Run) -> TextTable:
    """Show what each worker has after two rounds, the second with what it gains and loses."""
    names = dict.fromkeys([*before.assignment.workers, *after.assignment.workers])
    rows = []
    for name in names:
        first, second = (run.assignment.workers.get(name) for run in (before, after))
        rows.append(
            [name, "(missing)" if first is None else written(first), _given(first or NOTHING, second)]
        )
    times = [f"{run.title}: at {run.group.time_ms} ms" for run in (before, after)]
    return TextTable(
        ["worker", before.title, after.title],
        rows,
        "; ".join([*times, "+ marks what a worker starts, - what it stops"]),
    )


def written(work: Work) -> str:
    """Write connectors, and tasks by connector, neighbours drawn together: ``c0 c1; tasks c0:0-2,5``."""
    numbers: dict[str, list[int]] = {}
    for task in sorted(work.tasks):
        numbers.setdefault(task.connector, []).append(task.task)
    tasks = " ".join(f"{name}:{','.join(ranges(of))}" for name, of in numbers.items())
    parts = [" ".join(work.connectors), f"tasks {tasks}" if tasks else ""]
    return "; ".join(part for part in parts if part) or "-"


def _work(items: set[Item]) -> Work:
    names = sorted(item for item in items if isinstance(item, str))
    tasks = sorted(item for item in items if isinstance(item, ConnectorTask))
    return Work(tuple(names), tuple(tasks))


def _given(had: Work, given: Work | None) -> str:
    if given is None:
        return "(missing)"
    before, after = set(had.items), set(given.items)
    parts = [written(_work(before & after))] if before & after or before == after else []
    parts += [f"+ {written(_work(after - before))}"] if after - before else []
    parts += [f"- {written(_work(before - after))}"] if before - after else []
    return " ".join(parts)


def _idle(cluster: Cluster, answer: WorkAssignment) -> str:
    given = {item for work in answer.workers.values() for item in work.items}
    idle = _work(set(cluster.configured.items) - given)
    return written(idle) if idle.items else ""


def _notes(
    cluster: Cluster, assignments: Mapping[str, WorkAssignment], rows: list[list[str]]
) -> Iterator[str]:
    if any("+ " in cell or "- " in cell for row in rows for cell in row[1:]):
        yield "+ marks what a worker starts, - what it stops"
    if cluster.max_delay_ms != FIVE_MINUTES_MS:
        yield f"the longest delay is {cluster.max_delay_ms} ms"
    if waiting := lost(cluster):
        until = cluster.memory.scheduled_rebalance_ms
        yield f"{len(waiting)} lost" + (
            f", waited for until {until} ms, now {cluster.time_ms} ms" if until else ""
        )
    for title, one in assignments.items():
        if one.delay_ms:
            yield f"{title} asks for a round after {one.delay_ms} ms"


if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups() -> "SearchStrategy[Cluster]":
    from kassay.properties.workers.strategies import clusters

    return clusters()


def _timelines() -> "SearchStrategy[Any]":
    from kassay.properties.workers.strategies import timelines

    return timelines()


WORKERS = Shape(
    name="workers",
    groups=_groups,
    timelines=_timelines,
    play=play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    write_beside=write_beside,
    read_beside=read_beside,
    show=show,
    sizes={
        "workers": lambda cluster: len(cluster.workers),
        "connectors": lambda cluster: len(cluster.connectors),
        "tasks": lambda cluster: sum(connector.tasks for connector in cluster.connectors),
    },
    items="connectors and tasks",
    most_rounds=ROUNDS,
    changed=at_next,
    show_change=show_change,
    same=same,
    present=present,
    goes_on=True,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
)
