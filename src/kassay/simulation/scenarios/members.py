"""Members come, go and come back: cooperative ones (KIP-429), static ones (KIP-345), and writers of which there is one."""

from kassay.reference import ASSIGNORS
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.uses.consumer import consumer, strategy
from kassay.reference.group.uses.single_writer import SINGLE_WRITER
from kassay.simulation.scenarios.cast import actor, gathered
from kassay.simulation.scenarios.stage import Stage

COOPERATIVE = consumer(strategy(ASSIGNORS["consumer/cooperative-sticky"]))


def cooperative_member_joins(behaviour: Behaviour) -> Stage:
    """A member joins a cooperative group: the others go on with what they keep, and what it gets is first given up by its owner."""
    stage = gathered(behaviour, 1, use=COOPERATIVE)
    stage.enter(2, actor(behaviour, use=COOPERATIVE))
    stage.settle()
    return stage


def static_member_comes_back(behaviour: Behaviour) -> Stage:
    """A member with an instance id crashes and starts again: Kafka gives it what it had, without a rebalance."""
    stage = Stage(behaviour)
    for number in (1, 2):
        stage.enter(number, actor(behaviour, instance_id=f"i{number}"))
        stage.settle()
    stage.curtain()
    stage.crash(2)
    stage.run(1_000)
    stage.enter(2, actor(behaviour, instance_id="i2"))
    stage.settle()
    return stage


def single_writer_is_cut_off(behaviour: Behaviour) -> Stage:
    """The writer hears nothing any more: it stops before its session ends, and so before another one begins."""
    stage = gathered(behaviour, 2, use=SINGLE_WRITER, subscription="a producer", cluster=None)
    stage.cut(1)
    stage.until(lambda now: bool(now.members[2].owned))
    stage.mend(1)
    stage.settle()
    return stage
