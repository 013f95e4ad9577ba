"""Invariants about the number of standbys: as many as configured, and more only to warm up tasks that are moving."""

from collections.abc import Iterator

from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.properties.tasks.holdings import holdings, standby_on, stateful_tasks
from kassay.properties.tasks.lags import caught_up_clients
from kassay.properties.words import counted, listed


def enough_standbys(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Every stateful task has num.standby.replicas standbys, or one on every client but its own where these are fewer.

    A standby beside the same task active does not count.
    Source: num.standby.replicas in the configuration of Kafka Streams.
    """
    asked, clients = application.settings.num_standby_replicas, len(application.clients)
    copies = standby_on(holdings(application, answer))
    for task in stateful_tasks(application):
        found = len(copies.get(task, ()))
        if found < min(asked, clients - 1):
            yield (
                f"{task} has {counted(found, 'standby')}; num.standby.replicas is {asked}, "
                f"and there are {counted(clients, 'client')}"
            )


def warm_ups_limited(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """All tasks together have at most max.warmup.replicas standbys beyond num.standby.replicas.

    Source: KIP-441; each warm-up reads its changelog at full speed, which disturbs what runs.
    """
    extra = _beyond(application, answer)
    most = application.settings.max_warmup_replicas
    if sum(extra.values()) > most:
        yield (
            f"{listed(extra, ' and ')} have {counted(sum(extra.values()), 'standby')} beyond "
            f"num.standby.replicas {application.settings.num_standby_replicas}; max.warmup.replicas is {most}"
        )


def warm_ups_needed(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Only a task that is moving has standbys beyond num.standby.replicas: they are not caught up, and a probing rebalance follows.

    A task has no more of them than it has standbys on clients that are not caught up.
    Source: KIP-441; a probing rebalance ends what warm-ups begin.
    """
    copies = standby_on(holdings(application, answer))
    for task, extra in _beyond(application, answer).items():
        restoring = set(copies[task]) - set(caught_up_clients(application, task))
        if not answer.probing:
            yield f"{task} has {counted(extra, 'standby')} beyond num.standby.replicas, but no probing rebalance follows"
        elif len(restoring) < extra:
            yield (
                f"{task} has {counted(extra, 'standby')} beyond num.standby.replicas, "
                f"but of its standbys' clients {len(restoring)} are not caught up"
            )


def _beyond(application: Application, answer: TaskAssignment) -> dict[TaskId, int]:
    """Return the stateful tasks that have more standbys than configured, and how many more."""
    copies = standby_on(holdings(application, answer))
    extra = {
        task: len(copies.get(task, ())) - application.settings.num_standby_replicas
        for task in stateful_tasks(application)
    }
    return {task: number for task, number in extra.items() if number > 0}
