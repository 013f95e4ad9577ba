"""The machines of a group by what it is used for: members, who assigns, and what clusters and subscriptions there are."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from kassay.errors import InputError
from kassay.model import Assignment, Group, Topic
from kassay.reference.consumer.roundrobin import assign as round_robin
from kassay.reference.group import coordinator as coordination
from kassay.reference.group.behaviour import PROPOSAL, RELEASES, UNPERSISTED, Behaviour, kafka
from kassay.reference.group.member import KAFKA, Config, new, step
from kassay.reference.group.member import PROPOSAL as PROPOSED
from kassay.reference.group.uses.consumer import Strategy, Subscription, consumer
from kassay.simulation.schedule import Setting
from kassay.simulation.world import HEARTBEAT_MS, REBALANCE_MS, SESSION_MS, Machines, World
from kassay.suggesting import meant

BEHAVIOURS: dict[str, Behaviour] = {
    "proposal": PROPOSAL,
    "unpersisted": UNPERSISTED,
    **{f"kafka@{release}": kafka(release) for release in RELEASES},
}
"""Coordinators by the names that the command line uses."""
RACKS = ("a", "b", "c")
NEXT_STRATEGY = "next"
"""The strategy that an upgrade brings: round robin."""
Assign = Callable[[Any], Any]


def behaviour(name: str) -> Behaviour:
    """Return a coordinator's behaviour by name; raises InputError with the known ones."""
    if name not in BEHAVIOURS:
        raise InputError(
            f"--coordinator: there is no {name!r}; known are {', '.join(BEHAVIOURS)}{meant(name, BEHAVIOURS)}"
        )
    return BEHAVIOURS[name]


def consumers(setting: Setting, assign: Assign) -> Machines:
    """Return the machines of a consumer group whose leader assigns by this function."""
    return machines(
        setting,
        use=partial(_consumer, remembered(assign)),
        subscription=_subscription,
        items=_items,
        grown=_grown,
        moved=_moved,
        whole=_whole,
    )


def machines(setting: Setting, *, use: Callable[[Setting, int], Any], **of_use: Any) -> Machines:
    """Put the machines together; `use` makes the use of a member by setting and version."""
    of_coordinator = behaviour(setting.coordinator)
    uses = [use(setting, version) for version in range(3)]
    subscription = of_use["subscription"]

    def new_member(setting: Setting, slot: int, upgraded: int, cluster: Any) -> Any:
        config = Config(
            client_id=f"m{slot}",
            instance_id=f"i{slot}" if setting.static else None,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            heartbeat_ms=HEARTBEAT_MS,
            max_poll_ms=REBALANCE_MS,
            request_timeout_ms=SESSION_MS,
            manner=KAFKA if of_coordinator.persists == "synced" else PROPOSED,
        )
        return new(uses[upgraded], config, subscription(setting, len(setting.partitions)), cluster)

    return Machines(
        new_member=new_member,
        step_member=step,
        load=partial(coordination.load, of_coordinator),
        step_coordinator=partial(coordination.step, of_coordinator),
        unload=partial(coordination.unload, of_coordinator),
        **of_use,
    )


def remembered(assign: Assign) -> Assign:
    """Let a function answer each group once; a group that it fails on is asked again."""
    known: dict[Hashable, Any] = {}

    def answer(group: Hashable) -> Any:
        found = known.get(group)
        if found is None:
            found = known[group] = assign(group)
        return found

    return answer


def _consumer(assign: Assign, setting: Setting, version: int) -> Any:
    own = Strategy(name="own", assign=assign, cooperative=setting.cooperative)
    following = Strategy(name=NEXT_STRATEGY, assign=remembered(round_robin))
    return consumer(*((own,), (following, own), (following,))[version])


def cluster(setting: Setting) -> tuple[Topic, ...]:
    """Return the topics of a setting, with a rack for each partition."""
    return tuple(_topic(f"t{number}", partitions, number) for number, partitions in enumerate(setting.partitions))


def _topic(name: str, partitions: int, shift: int) -> Topic:
    racks = tuple((RACKS[(number + shift) % len(RACKS)],) for number in range(partitions))
    return Topic(name, partitions, racks)


def _subscription(setting: Setting, number: int) -> Subscription:
    topics = tuple(f"t{topic}" for topic in range(len(setting.partitions)))
    return Subscription(topics=topics[number : number + 1] or topics)


def _grown(topics: tuple[Topic, ...], number: int) -> tuple[Topic, ...]:
    return tuple(
        _topic(topic.name, topic.partitions + (at == number % len(topics)), at) for at, topic in enumerate(topics)
    )


def _moved(topics: tuple[Topic, ...], number: int) -> tuple[Topic, ...]:
    return tuple(
        Topic(topic.name, topic.partitions, (*(topic.racks or ())[1:], *(topic.racks or ())[:1]))
        if at == number % len(topics)
        else topic
        for at, topic in enumerate(topics)
    )


def _items(state: Any) -> tuple[Hashable, ...]:
    return () if state is None else state.partitions


def _whole(world: World) -> tuple[Hashable, ...]:
    wanted = {topic for member in world.members if member is not None for topic in member.subscription.topics}
    return tuple(partition for topic in world.cluster if topic.name in wanted for partition in topic)
