"""Situations in what the clients held before, and in how far they lag."""

from collections import Counter

from kassay.model.tasks import INT64_MAX, RUNNING, UNKNOWN, Application
from kassay.properties.tasks.holdings import stateful_tasks
from kassay.properties.tasks.lags import caught_up_clients


def new_application(application: Application) -> bool:
    """No client held anything."""
    return not any(client.active or client.standby for client in application.clients)


def newcomer(application: Application) -> bool:
    """Some clients held tasks, and another one held none."""
    return len({bool(client.active or client.standby) for client in application.clients}) > 1


def orphaned_task(application: Application) -> bool:
    """Some tasks were active on a client, and another one was active nowhere."""
    before = {task for client in application.clients for task in client.active}
    return bool(before) and any(task.id not in before for task in application.tasks)


def double_claim(application: Application) -> bool:
    """Two clients say that they ran one task active."""
    claims = Counter(task for client in application.clients for task in client.active)
    return any(number > 1 for number in claims.values())


def vanished_task(application: Application) -> bool:
    """Some client ran a task that does not exist."""
    known = {task.id for task in application.tasks}
    return any(
        task not in known for client in application.clients for task in (*client.active, *client.standby)
    )


def double_running(application: Application) -> bool:
    """Two clients' lags say that they run one task now."""
    running = Counter(
        task for client in application.clients for task, lag in client.lags.items() if lag == RUNNING
    )
    return any(number > 1 for number in running.values())


def behind(application: Application) -> bool:
    """A client lags on a stateful task by more than acceptable.recovery.lag."""
    acceptable = application.settings.acceptable_recovery_lag
    return any(lag > acceptable for client in application.clients for lag in client.lags.values())


def uneven_lags(application: Application) -> bool:
    """Some client is caught up on a stateful task, and another one is not."""
    return any(
        0 < len(caught_up_clients(application, task)) < len(application.clients)
        for task in stateful_tasks(application)
    )


def caught_up_nowhere(application: Application) -> bool:
    """A stateful task is caught up on no client, as when its client has died."""
    return any(not caught_up_clients(application, task) for task in stateful_tasks(application))


def restorable(application: Application) -> bool:
    """A client that does not run a task lags within acceptable.recovery.lag, having its state on disk, while another runs it."""
    return any(
        RUNNING in (lags := [client.lags[task] for client in application.clients])
        and any(0 <= lag <= application.settings.acceptable_recovery_lag for lag in lags)
        for task in stateful_tasks(application)
    )


def unknown_lag(application: Application) -> bool:
    """A client's lag on a stateful task is not known."""
    stateful = set(stateful_tasks(application))
    return any(
        lag == UNKNOWN and task in stateful
        for client in application.clients
        for task, lag in client.lags.items()
    )


def unlimited_lag(application: Application) -> bool:
    """Any lag is acceptable, so that every client counts as caught up."""
    return application.settings.acceptable_recovery_lag == INT64_MAX


def uneven_holdings(application: Application) -> bool:
    """One client ran at least two active tasks more than another, so that balance asks for moves."""
    counts = [len(client.active) for client in application.clients]
    return max(counts, default=0) >= min(counts, default=0) + 2
