"""The law about warm-ups that have to wait: who goes first (KIP-441)."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.properties.runs import Run, TwoRuns
from kassay.properties.tasks.holdings import holdings as held
from kassay.properties.tasks.holdings import standby_on
from kassay.properties.tasks.lags import caught_up_clients
from kassay.properties.tasks.rounds import Assign


def warm_ups_in_order(assign: Assign, application: Application) -> Iterator[str]:
    """Where max.warmup.replicas lets some tasks warm up and others wait, those go first that fewer clients are caught up on.

    Of tasks with equally many the first in order goes first. Told by what is given to warm up where all may, without standbys. Source:
    TaskMovement, which takes the tasks in this order.
    """
    settings = application.settings
    if settings.num_standby_replicas or len(application.tasks) <= settings.max_warmup_replicas:
        return
    free = replace(application, settings=replace(settings, max_warmup_replicas=len(application.tasks)))
    answer, wish = assign(application), assign(free)
    warm, wanted = (set(_warming(application, each)) for each in (answer, wish))
    if not warm or not warm < wanted:
        return

    def order(task: TaskId) -> tuple[int, TaskId]:
        return len(caught_up_clients(application, task)), task

    last, first = max(warm, key=order), min(wanted - warm, key=order)
    if order(first) < order(last):
        near = (order(task)[0] for task in (last, first))
        yield TwoRuns(
            f"{last} warms up, with {next(near)} clients caught up; {first} waits, with {next(near)}",
            Run("all may warm up", free, wish),
            Run(f"{settings.max_warmup_replicas} may", application, answer),
            last,
        )


def _warming(application: Application, answer: TaskAssignment) -> list[TaskId]:
    """Return the tasks that have a standby where none is configured."""
    return [task for task, names in standby_on(held(application, answer)).items() if names]
