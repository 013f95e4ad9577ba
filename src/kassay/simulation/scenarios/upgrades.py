"""Protocols of a group: "Phase 1: Joining the Group" and "Rolling Upgrades" of the client-side assignment proposal."""

from kassay.reference import ASSIGNORS
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.member.application import Closed
from kassay.reference.group.member.use import Use
from kassay.reference.group.uses.consumer import consumer, strategy
from kassay.simulation.scenarios.cast import RANGE, actor, gathered
from kassay.simulation.scenarios.stage import Stage

NEW = strategy(ASSIGNORS["consumer/roundrobin"])
OLD = strategy(ASSIGNORS["consumer/range"])
OLD_METADATA = consumer(strategy(ASSIGNORS["consumer/range"], version=0))
BOTH_METADATA = consumer(
    strategy(ASSIGNORS["consumer/range"], name="range-v3"), strategy(ASSIGNORS["consumer/range"], version=0)
)
COOPERATIVE = strategy(ASSIGNORS["consumer/cooperative-sticky"])


def no_common_protocol(behaviour: Behaviour) -> Stage:
    """A member that supports none of the group's protocols is rejected, and the group goes on undisturbed."""
    stage = gathered(behaviour, 2)
    stage.enter(3, actor(behaviour, use=consumer(NEW)))
    stage.until(lambda now: now.members[3].phase == "Failed")
    stage.run(10)
    return stage


def strategy_upgrade(behaviour: Behaviour) -> Stage:
    """Each member is stopped and started with both strategies, the new one first; the group goes over to it with the last of them."""
    return _rolls(gathered(behaviour, 2, use=RANGE), behaviour, consumer(NEW, OLD))


def metadata_upgrade(behaviour: Behaviour) -> Stage:
    """Each member is started anew with metadata of a new version beside those of the old; the group goes over with the last of them."""
    return _rolls(gathered(behaviour, 2, use=OLD_METADATA), behaviour, BOTH_METADATA)


def cooperative_upgrade(behaviour: Behaviour) -> Stage:
    """Members go over to a cooperative strategy by two restarts each: as long as one supports range, all give up all they own (KIP-429)."""
    stage = _rolls(gathered(behaviour, 2, use=RANGE), behaviour, consumer(COOPERATIVE, OLD))
    return _rolls(stage, behaviour, consumer(COOPERATIVE))


def _rolls(stage: Stage, behaviour: Behaviour, use: Use) -> Stage:
    """Close one member after the other, and start it with another use when the group is stable."""
    for number in sorted(stage.members):
        stage.tell(number, Closed())
        stage.run(10)
        stage.settle()
        stage.enter(number, actor(behaviour, use=use))
        stage.settle()
    return stage
