"""Topics, racks and subscriptions change, and SyncGroup comes early or late: "Protocol" and "Topic Metadata Change" of the proposal; KIP-881."""

from msgspec.structs import replace

from kassay.model import Topic
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.member.application import ClusterChanged, SubscriptionChanged
from kassay.reference.group.messages import SyncGroup
from kassay.reference.group.uses.consumer import Subscription
from kassay.simulation.scenarios.cast import actor, gathered, manner_of
from kassay.simulation.scenarios.stage import Stage

GROWN = (Topic("t", 4),)
OF_BOTH = (Topic("t", 3), Topic("u", 3))


def topic_grows(behaviour: Behaviour) -> Stage:
    """A topic gets a partition: the leader synchronises again, in the same generation (4a); Kafka's leader joins again."""
    return _informed(gathered(behaviour, 2), GROWN)


def resync_takes_from_another(behaviour: Behaviour) -> Stage:
    """A topic gets two partitions, and range moves another one: its old owner learns of that by its next heartbeat only.

    Until then two members of one generation own it. The proposal does not say what keeps them apart.
    """
    return _informed(gathered(behaviour, 2), (Topic("t", 5),))


def resync_of_a_careful_leader(behaviour: Behaviour) -> Stage:
    """The same where the leader synchronises again only if nothing moves from one member to another: here all join again."""
    careful = replace(manner_of(behaviour), resync="unmoved")
    return _informed(gathered(behaviour, 2, manner=careful), (Topic("t", 5),))


def subscription_changes(behaviour: Behaviour) -> Stage:
    """A member subscribes to another topic as well: all join again (4b)."""
    stage = gathered(behaviour, 2, cluster=OF_BOTH)
    stage.tell(2, SubscriptionChanged(Subscription(topics=("t", "u"))))
    stage.settle()
    return stage


def pattern_matches_a_new_topic(behaviour: Behaviour) -> Stage:
    """Members subscribe by a regular expression; each finds a new topic that matches by itself, and joins again."""
    stage = gathered(behaviour, 2, subscription=Subscription(pattern="[tu]"))
    return _informed(stage, OF_BOTH)


def racks_change_for_a_leader_with_one(behaviour: Behaviour) -> Stage:
    """Replicas move to other racks, and the leader has a rack: it assigns anew (KIP-881)."""
    return _racks_change(behaviour, "a")


def racks_change_for_a_leader_without(behaviour: Behaviour) -> Stage:
    """Replicas move to other racks, but the leader has none: nothing happens (KIP-881)."""
    return _racks_change(behaviour, None)


def _racks_change(behaviour: Behaviour, rack: str | None) -> Stage:
    here, there = (
        (Topic("t", 2, (("a",), ("b",))),),
        (Topic("t", 2, (("b",), ("a",))),),
    )
    stage = Stage(behaviour)
    for number, own in ((1, rack), (2, "b")):
        stage.enter(
            number, actor(behaviour, cluster=here, subscription=Subscription(topics=("t",), rack=own))
        )
        stage.settle()
    stage.curtain()
    return _informed(stage, there)


def follower_synchronises_first(behaviour: Behaviour) -> Stage:
    """The follower's SyncGroup arrives before the leader's, and is parked until that has come."""
    return _late(behaviour, leader_is_late=True)


def follower_synchronises_last(behaviour: Behaviour) -> Stage:
    """The follower's SyncGroup arrives when the group is stable, and is answered at once."""
    return _late(behaviour, leader_is_late=False)


def _late(behaviour: Behaviour, *, leader_is_late: bool) -> Stage:
    stage = gathered(behaviour, 1)
    stage.network.delay(
        40, lambda member, message: (member == 1) == leader_is_late and type(message) is SyncGroup
    )
    stage.enter(2, actor(behaviour))
    stage.settle()
    return stage


def _informed(stage: Stage, cluster: tuple[Topic, ...]) -> Stage:
    """Let all members learn of changed metadata, the leader last, and wait for what comes of it."""
    for number in sorted(stage.members, key=lambda number: stage.members[number].is_leader):
        stage.tell(number, ClusterChanged(cluster))
    stage.run(10)
    stage.settle()
    return stage
