"""Who plays in the scenarios: consumers of a topic with three partitions, as the proposal or Kafka has members."""

from typing import Any

from kassay.model import Topic
from kassay.reference import ASSIGNORS
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.member import KAFKA, PROPOSAL, Config, Member, new
from kassay.reference.group.member.state import Manner
from kassay.reference.group.member.use import Use
from kassay.reference.group.uses.consumer import Subscription, consumer, strategy
from kassay.simulation.scenarios.stage import Stage

HEARTBEAT_MS, SESSION_MS, REBALANCE_MS, REQUEST_MS = 3_000, 10_000, 20_000, 30_000
TOPICS = (Topic("t", 3),)
READS_T = Subscription(topics=("t",))
RANGE = consumer(strategy(ASSIGNORS["consumer/range"]))


def manner_of(behaviour: Behaviour) -> Manner:
    """Return how members act that go with a coordinator."""
    return PROPOSAL if behaviour.resyncs else KAFKA


def actor(
    behaviour: Behaviour,
    *,
    use: Use = RANGE,
    subscription: Any = READS_T,
    cluster: Any = TOPICS,
    manner: Manner | None = None,
    instance_id: str | None = None,
) -> Member:
    """Return a member that has not started."""
    config = Config(
        heartbeat_ms=HEARTBEAT_MS,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=REBALANCE_MS,
        request_timeout_ms=REQUEST_MS,
        instance_id=instance_id,
        manner=manner or manner_of(behaviour),
    )
    return new(use, config, subscription, cluster)


def gathered(behaviour: Behaviour, number: int = 3, **about: Any) -> Stage:
    """Return a stage with so many members in a stable group, of which nothing is in the trace."""
    stage = Stage(behaviour)
    for each in range(1, number + 1):
        stage.enter(each, actor(behaviour, **about))
        stage.settle()
    stage.curtain()
    return stage
