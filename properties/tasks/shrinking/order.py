"""The order in which the minimiser descends: how large an application is, then how far from plain names and their order."""

from dataclasses import fields

from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Settings
from kassay.properties.tasks.shrinking.canonicalise import disorder, rack_names

USUAL = Settings()


def order_key(application: Application) -> tuple[int, ...]:
    """Return the key by which every step makes an application smaller, so that minimising ends: size, then disorder."""
    return (*size(application), *disorder(application))


def size(application: Application) -> tuple[int, ...]:
    """Return how large an application is: the weightiest first, features before their numbers."""
    clients, tasks, topics, settings = (
        application.clients, application.tasks, application.topics, application.settings,
    )  # fmt: skip
    replicas = [near for topic in topics for near in topic.racks or ()]
    tags = [tag for client in clients for tag in client.tags]
    sums = [sums for client in clients for sums in client.consumers.values()]
    acceptable = settings.acceptable_recovery_lag
    lags = [weight(lag, acceptable) for client in clients for lag in client.lags.values()]
    return (
        len(clients),
        len(tasks),
        len({task.id.subtopology for task in tasks}),
        len(topics),
        sum(getattr(settings, field.name) != getattr(USUAL, field.name) for field in fields(settings)),
        bool(replicas) or any(client.rack is not None for client in clients),
        bool(tags),
        any(client.consumers for client in clients),
        sum(task.stateful for task in tasks),
        sum(client.threads for client in clients),
        sum(len(client.active) for client in clients),
        sum(len(client.standby) for client in clients),
        sum(map(bool, lags)),
        sum(lags),
        *settings_weight(settings),
        sum(topic.partitions for topic in topics),
        sum(len(task.inputs) + len(task.changelogs) for task in tasks),
        sum(len(client.lags) for client in clients),
        len(tags),
        len(set(tags)),
        len(sums) + sum(map(len, sums)),
        sum(offsets != 0 for each in sums for offsets in each.values()),
        sum(client.rack is not None for client in clients),
        sum(topic.racks is not None for topic in topics),
        sum(map(len, replicas)),
        sum(rack is None for near in replicas for rack in near),
        len(set(rack_names(application))),
    )


def settings_weight(settings: Settings) -> tuple[int, ...]:
    """Return how far the settings are from the usual ones."""
    costs = (
        settings.rack_aware_assignment_traffic_cost,
        settings.rack_aware_assignment_non_overlap_cost,
    )
    return (
        settings.num_standby_replicas,
        STRATEGIES.index(settings.rack_aware_assignment_strategy),
        abs(settings.max_warmup_replicas - USUAL.max_warmup_replicas),
        len(settings.rack_aware_assignment_tags),
        0
        if settings.acceptable_recovery_lag == USUAL.acceptable_recovery_lag
        else 1 + settings.acceptable_recovery_lag,
        sum(0 if cost is None else 1 + 2 * abs(cost) + (cost < 0) for cost in costs),
    )


def weight(lag: int, acceptable: int) -> int:
    """Return how simple a lag is: none, running, acceptable, more than that, unknown."""
    if lag in (RUNNING, UNKNOWN):
        return 1 if lag == RUNNING else 4
    return 0 if lag == 0 else 2 if lag <= acceptable else 3
