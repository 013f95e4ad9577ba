"""The input model of connectors, tasks and workers: its tables of text and its solvers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from kassay.families.family import Oracles, Sequences
from kassay.families.shape import Assign, Sampler, Shape, TextTable
from kassay.families.shapes.solvers import build_sequence_solver, build_verifier, keep_last, load_later
from kassay.model.workers import FIVE_MINUTES_MS, NOTHING, Cluster, ConnectorTask, Item, Work, WorkAssignment
from kassay.model.workers_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)
from kassay.oracles.answers import Far, OverTime, Worst, describe_gaps
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.levels import sum_levels
from kassay.oracles.workers.levels import LEVELS, OVER_TIME
from kassay.properties.runs import Run, ranges
from kassay.properties.workers import clusters as sampler
from kassay.properties.workers import timelines
from kassay.properties.workers.large import DIMENSIONS, LARGE
from kassay.properties.workers.measures import connector_imbalance, lost, task_imbalance
from kassay.properties.workers.shrinking import smaller
from kassay.properties.workers.timelines import ROUNDS, Bounce, Timeline, is_same, play, present

NOBODY = "(nobody)"


def show(cluster: Cluster, assignments: Mapping[str, WorkAssignment]) -> TextTable:
    """Return the table of workers: their current work, and the work of each answer; then work without a worker."""
    works = {worker.id: worker.work for worker in cluster.workers}
    running = any(work.items for work in works.values())
    strangers = sorted({name for one in assignments.values() for name in one.workers} - set(works))
    rows = [
        [
            name,
            *([write_work(works[name]) if name in works else "(no worker)"] if running or strangers else []),
            *(_write_given(works.get(name, NOTHING), one.workers.get(name)) for one in assignments.values()),
        ]
        for name in [*works, *strangers]
    ]
    idle = []
    for one in assignments.values():
        given = {item for work in one.workers.values() for item in work.items}
        unassigned = _sort_work(set(cluster.configured.items) - given)
        idle.append(write_work(unassigned) if unassigned.items else "")
    missing = _sort_work(
        set(cluster.configured.items) - {item for work in works.values() for item in work.items}
    )
    if any(idle) or (running and missing.items):
        rows.append([NOBODY, *([write_work(missing)] if running or strangers else []), *idle])
    columns = ["worker", *(["runs now"] if running or strangers else []), *assignments]
    return TextTable(columns, rows, "; ".join(_list_notes(cluster, assignments, rows)))


def show_change(before: Run, after: Run) -> TextTable:
    """Return the table of the work of each worker after two rounds, the second with gains and losses."""
    names = dict.fromkeys([*before.assignment.workers, *after.assignment.workers])
    rows = []
    for name in names:
        first, second = (run.assignment.workers.get(name) for run in (before, after))
        rows.append(
            [
                name,
                "(missing)" if first is None else write_work(first),
                _write_given(first or NOTHING, second),
            ]
        )
    times = [f"{run.title}: at {run.group.time_ms} ms" for run in (before, after)]
    return TextTable(
        ["worker", before.title, after.title],
        rows,
        "; ".join([*times, "+ marks work that a worker starts, - work that it stops"]),
    )


def write_work(work: Work) -> str:
    """Return connectors, and tasks by connector with ranges: ``c0 c1; tasks c0:0-2,5``."""
    numbers: dict[str, list[int]] = {}
    for task in sorted(work.tasks):
        numbers.setdefault(task.connector, []).append(task.task)
    tasks = " ".join(f"{name}:{','.join(ranges(of))}" for name, of in numbers.items())
    parts = [" ".join(work.connectors), f"tasks {tasks}" if tasks else ""]
    return "; ".join(part for part in parts if part) or "-"


def _sort_work(items: set[Item]) -> Work:
    names = sorted(item for item in items if isinstance(item, str))
    tasks = sorted(item for item in items if isinstance(item, ConnectorTask))
    return Work(tuple(names), tuple(tasks))


def _write_given(had: Work, given: Work | None) -> str:
    if given is None:
        return "(missing)"
    before, after = set(had.items), set(given.items)
    parts = [write_work(_sort_work(before & after))] if before & after or before == after else []
    parts += [f"+ {write_work(_sort_work(after - before))}"] if after - before else []
    parts += [f"- {write_work(_sort_work(before - after))}"] if before - after else []
    return " ".join(parts)


def _list_notes(
    cluster: Cluster, assignments: Mapping[str, WorkAssignment], rows: list[list[str]]
) -> Iterator[str]:
    if any("+ " in cell or "- " in cell for row in rows for cell in row[1:]):
        yield "+ marks work that a worker starts, - work that it stops"
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


WORKERS = Shape(
    name="workers",
    groups=load_later("kassay.properties.workers.strategies:clusters"),
    timelines=load_later("kassay.properties.workers.strategies:timelines"),
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
    changed=timelines.apply_changes,
    show_change=show_change,
    same=is_same,
    present=present,
    goes_on=True,
    sampler=Sampler(sampler.NUMBERS, sampler.USUAL, sampler.KINDS, sampler.draw),
    directed=load_later("kassay.properties.workers.strategies:draw_edge_clusters"),
    large=LARGE,
    dimensions=DIMENSIONS,
)


def _solve_over_time(question: str, timeline: Timeline, time_limit_s: float | None) -> OverTime:
    solve = build_sequence_solver("kassay.oracles.workers.optimum:compute_over_time", timelines.stages)
    best = solve(question, timeline, time_limit_s)
    found: list[WorkAssignment] = []
    for event, answer in zip((None, *timeline.events), best.assignments, strict=False):
        # Before workers come back, all others keep what they run, and the rest waits.
        if isinstance(event, Bounce):
            stay = {name: work for name, work in found[-1].workers.items() if name not in event.workers}
            found.append(WorkAssignment(stay, {}, delay_ms=1))
        found.append(answer)
    return replace(best, assignments=tuple(found))


SEQUENCES = Sequences(
    timelines.SEQUENCES,
    OVER_TIME,
    timelines.rounds,
    partial(sum_levels, [level for level in LEVELS.values() if level.words.passing]),
    lambda cluster, answer: connector_imbalance(cluster, answer) > 1 or task_imbalance(cluster, answer) > 1,
    _solve_over_time,
    lambda cluster: [each.id for each in cluster.workers],
    {
        "restart": "workers come back after scheduled.rebalance.max.delay.ms. A worker that is back before that gets what it ran, and nothing else moves.",
        "bounce": "workers are back before scheduled.rebalance.max.delay.ms is over, under new ids.",
    },
)

COMPARED = (
    "balance is the difference of the most and the fewest connectors, or tasks, of a worker. moves and connector-spread are compared with the "
    "minimum at the most even loads. A less even answer may be below that minimum and counts as 0. If an answer revokes work or waits, the next "
    "one is compared, unless that revokes or waits too"
)


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Return the oracles of a family."""
    optima = keep_last("kassay.oracles.workers.optimum:compute_optima")

    def explain(cluster: Cluster, answer: WorkAssignment) -> list[str]:
        """Return a sentence on each level in which an answer is not optimal, with the optimum."""
        gaps = optima(cluster).gaps(answer)
        return describe_gaps(Far(gap.said, gap.value, gap.optimum) for gap in gaps)

    def worst(_assign: Assign, question: str, _seed: int, _tries: int) -> Worst:
        raise ImpossibleError(
            f"question: there is no search for the worst {question} of workers. Use groups of another family"
        )

    return Oracles(
        questions,
        tuple(LEVELS),
        load_later("kassay.oracles.workers.optimum:compute_optimum"),
        optima,
        explain,
        worst_questions,
        worst,
        load_later("kassay.oracles.workers.optimum:solve_by_program"),
        build_verifier("workers", write_group),
        COMPARED,
        {name: level.words for name, level in LEVELS.items()},
        over_time=SEQUENCES,
        dominance=keep_last("kassay.oracles.workers.optimum:compute_dominance"),
    )
