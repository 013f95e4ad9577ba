"""Events: what happens to a generated application between its rebalances."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from kassay.model import Topic
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import STRATEGIES, Application, Client
from kassay.properties.choices import Choices
from kassay.properties.tasks.timelines import (
    Alter,
    CleanUp,
    Configure,
    Event,
    Join,
    Leave,
    Probe,
    Relocate,
    Restart,
    Restore,
    Scale,
    Stop,
)

BACK = 50
"""Percentage of cases in which a client that stopped restarts with the next event."""
BEHIND = (0, 100, 10_000, 10_001, 50_000)
"""By how many records a changelog has grown when a client restarts; about Kafka's acceptable.recovery.lag too."""
RESTORED = (None, 1_000, 30_000)
THREADS = (1, 4)
USUAL: Mapping[str, int] = {
    "probe": 4, "join": 4, "leave": 3, "stop": 4, "restore": 1, "clean up": 2, "alter": 2, "relocate": 1, "scale": 1,
    "configure": 1,
}  # fmt: skip
"""The weights of the kinds of events where none are given."""


def events(
    choices: Choices, application: Application, number: int, weights: Mapping[str, int] = USUAL
) -> tuple[Event, ...]:
    """Choose so many events of an application."""
    return tuple(_events(choices, _Running(application), number, weights))


def _events(
    choices: Choices, running: "_Running", number: int, weights: Mapping[str, int]
) -> Iterator[Event]:
    for _ in range(number):
        if running.stopped and choices.chance(BACK):
            running.ids.append(running.stopped.pop())
            yield Restart(running.ids[-1], choices.pick(BEHIND))
        else:
            yield EVENTS[choices.weighed(weights)](choices, running)


@dataclass
class _Running:
    """An application as its events leave it: who is there and who has stopped, its topics and settings."""

    application: Application
    stopped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ids = [client.id for client in self.application.clients]
        self.topics = {topic.name: topic for topic in self.application.topics}
        self.sources = sorted({read.topic for task in self.application.tasks for read in task.inputs})
        self.racks = list(dict.fromkeys(client.rack for client in self.application.clients))
        self.tags = list(dict.fromkeys(client.tags for client in self.application.clients))
        self.taken = {UUID(name).int for name in self.ids}

    def some_id(self, choices: Choices) -> str | None:
        """Choose a client to go, None where only one is left."""
        return self.ids.pop(choices.below(len(self.ids))) if len(self.ids) > 1 else None

    def new_id(self, choices: Choices) -> str:
        """Choose an id that no client has had: low or high, before or behind the others."""
        at = choices.pick((1, 1 << 126)) + choices.below(1 << 16)
        while at in self.taken:
            at += 1
        self.taken.add(at)
        return str(UUID(int=at))


def _probe(_: Choices, _running: _Running) -> Event:
    return Probe()


def _join(choices: Choices, running: _Running) -> Event:
    name = running.new_id(choices)
    running.ids.append(name)
    threads, tags = choices.between(THREADS), choices.pick(running.tags)
    return Join(Client(name, threads, tags=tags, rack=choices.pick(running.racks)))


def _leave(choices: Choices, running: _Running) -> Event:
    name = running.some_id(choices)
    return Probe() if name is None else Leave(name)


def _stop(choices: Choices, running: _Running) -> Event:
    name = running.some_id(choices)
    if name is None:
        return Probe()
    running.stopped.append(name)
    return Stop(name)


def _restore(choices: Choices, running: _Running) -> Event:
    return Restore(choices.pick(running.ids), choices.pick(RESTORED))


def _clean_up(choices: Choices, running: _Running) -> Event:
    return CleanUp(choices.pick(running.ids))


def _alter(choices: Choices, running: _Running) -> Event:
    """Up to two partitions are added to a source topic, and where racks are known its replicas move."""
    if not running.sources:
        return Probe()
    topic = running.topics[choices.pick(running.sources)]
    count = topic.partitions + choices.below(3)
    racks = None if topic.racks is None else tuple((choices.pick(running.racks),) for _ in range(count))
    running.topics[topic.name] = Topic(topic.name, count, racks)
    return Alter(running.topics[topic.name])


def _relocate(choices: Choices, running: _Running) -> Event:
    return Relocate(choices.pick(running.ids), choices.pick(running.racks))


def _scale(choices: Choices, running: _Running) -> Event:
    return Scale(choices.pick(running.ids), choices.between(THREADS))


def _configure(choices: Choices, running: _Running) -> Event:
    settings = replace(
        running.application.settings,
        num_standby_replicas=choices.below(3),
        max_warmup_replicas=1 + choices.below(4),
        acceptable_recovery_lag=choices.pick((10_000, 0, INT64_MAX)),
        rack_aware_assignment_strategy=choices.pick(STRATEGIES),
    )
    return Configure(settings)


EVENTS: Mapping[str, Callable[[Choices, _Running], Event]] = {
    "probe": _probe,
    "join": _join,
    "leave": _leave,
    "stop": _stop,
    "restore": _restore,
    "clean up": _clean_up,
    "alter": _alter,
    "relocate": _relocate,
    "scale": _scale,
    "configure": _configure,
}
"""Kind of event -> how it is chosen; one that cannot happen is a probing rebalance."""
