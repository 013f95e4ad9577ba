"""Lags: who is caught up on a task, and how long its log is."""

from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Settings, TaskId

LOG = 100_000
"""The records in the changelogs of a task of which no client is known to lag: ten times Kafka's acceptable.recovery.lag."""


def caught_up(settings: Settings, lag: int) -> bool:
    """Return whether a client with this lag may take the task over at once (KIP-441).

    An unknown lag is caught up only where acceptable.recovery.lag is the greatest number there is, as in Kafka's
    HighAvailabilityTaskAssignor.
    """
    acceptable = settings.acceptable_recovery_lag
    return lag == RUNNING or acceptable == INT64_MAX or 0 <= lag <= acceptable


def caught_up_clients(application: Application, task: TaskId) -> list[str]:
    """Return the clients that are caught up on a stateful task, as listed."""
    return [client.id for client in application.clients if caught_up(application.settings, client.lags[task])]


def log(application: Application, task: TaskId) -> int:
    """Return how many records a client without any state of a task has to restore.

    No input says so: it is the greatest lag that a client has, for one that never held the task lags by its whole log; LOG where
    nobody lags.
    """
    greatest = max((client.lags.get(task, 0) for client in application.clients), default=0)
    return greatest if greatest > 0 else LOG


def left(lag: int, log: int, restored: int | None) -> int:
    """Return what is left to restore of a log when `restored` records have been read, None: all there are."""
    if restored is None or lag == RUNNING:
        return 0
    return max(0, (log if lag == UNKNOWN else lag) - restored)
