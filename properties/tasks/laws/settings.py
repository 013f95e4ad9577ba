"""The law about settings that say nothing in an application."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.tasks import Application, Settings
from kassay.properties.runs import Run
from kassay.properties.tasks.laws.differences import differences
from kassay.properties.tasks.rounds import Assign

ANY = 7
"""A value for numbers that are not to matter."""


def idle_settings_ignored(assign: Assign, application: Application) -> Iterator[str]:
    """Settings change nothing where they say nothing: costs and racks without a strategy, tags without standbys.

    Nor do, without stateful tasks, num.standby.replicas, acceptable.recovery.lag and max.warmup.replicas. Racks are those of
    clients and of topics. Source: the descriptions of these settings in Kafka and KIP-925.
    """
    before = Run("as set", application, assign(application))
    for condition, other in _others(application):
        yield from differences(before, Run(condition, other, assign(other)))


def _others(application: Application) -> Iterator[tuple[str, Application]]:
    settings = application.settings

    def having(others: Settings) -> Application:
        return replace(application, settings=others)

    if settings.rack_aware_assignment_strategy == "none":
        costs = replace(
            settings, rack_aware_assignment_traffic_cost=ANY, rack_aware_assignment_non_overlap_cost=ANY
        )
        yield "with other costs, though the strategy is none", having(costs)
        yield (
            "without racks, though the strategy is none",
            replace(
                application,
                clients=tuple(replace(client, rack=None) for client in application.clients),
                topics=tuple(replace(topic, racks=None) for topic in application.topics),
            ),
        )
    if not settings.num_standby_replicas and settings.rack_aware_assignment_tags:
        yield (
            "without tags, though there are no standbys",
            having(replace(settings, rack_aware_assignment_tags=())),
        )
    if not any(task.stateful for task in application.tasks):
        idle = replace(
            settings, num_standby_replicas=ANY, acceptable_recovery_lag=ANY, max_warmup_replicas=ANY
        )
        yield "with other standbys and warm-ups, though no task is stateful", having(idle)
