"""Generating clusters and timelines by settings, from choices."""

from dataclasses import replace

from kassay.model.workers import Cluster, Connector, Worker
from kassay.properties.choices import Choices
from kassay.properties.settings import Settings
from kassay.properties.workers.generating.events import event
from kassay.properties.workers.generating.history import with_history
from kassay.properties.workers.generating.names import connector_names, worker_ids
from kassay.properties.workers.generating.settings import DELAYS
from kassay.properties.workers.timelines import Timeline


def cluster(choices: Choices, settings: Settings) -> Cluster:
    """Generate a cluster: new, at rest, or one to which something has happened."""
    kind = settings.kind(choices, "names")
    number = settings.number(choices, "workers")
    names = connector_names(choices, settings.number(choices, "connectors"), kind)
    each = settings.number(choices, "tasks_per_worker") * number
    connectors = tuple(
        Connector(
            name, each // len(names) + (at < each % len(names)) if each else settings.number(choices, "tasks")
        )
        for at, name in enumerate(names)
    )
    ids = worker_ids(choices, number + 1, kind)
    most = DELAYS[settings.kind(choices, "delay")]
    order = settings.kind(choices, "order")
    listed = choices.shuffled(ids[:number]) if order == "shuffled" else ids[:number]
    made = Cluster(connectors, tuple(map(Worker, listed)), most, last_completed_generation=-1)
    return with_history(choices, made, ids[number], settings.kind(choices, "history"))


def timeline(choices: Choices, settings: Settings) -> Timeline:
    """Generate a cluster with what happens to it."""
    start = cluster(choices, settings)
    events, known = [], replace(start, memory=start.memory)
    for at in range(settings.number(choices, "churn")):
        happened, known = event(choices, known, at)
        events.append(happened)
    return Timeline(start, tuple(events))
