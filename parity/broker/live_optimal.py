"""Consumers of kafka-python and aiokafka with OptimalAssignor on real brokers: the loads are the optimum, and the moves the fewest."""

import time

import pytest

pytest.importorskip("kafka")
pytest.importorskip("aiokafka")

from python_members import python_members

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.targets.clients import CooperativeOptimalAssignor, OptimalAssignor

SIZE = 9
RACKS = "abc"
ORDER = "balance,cross-rack,moves"
QUIET_S, PATIENCE_S = 2.0, 60.0


def settled(members, clients, topic):
    """Wait until these consumers have shared all partitions, for a while; return what each holds."""
    everything = {(topic, number) for number in range(SIZE)}
    deadline, since, before = time.monotonic() + PATIENCE_S, time.monotonic(), None
    while time.monotonic() < deadline:
        assert not members.failures
        now = {client: frozenset(members.held.get(client, ())) for client in clients}
        whole = sum(map(len, now.values())) == SIZE and frozenset().union(*now.values()) == everything
        if now != before or not whole or not all(now.values()):
            before, since = now, time.monotonic()
        elif time.monotonic() - since > QUIET_S:
            return {
                client: tuple(TopicPartition(*one) for one in sorted(some)) for client, some in now.items()
            }
        time.sleep(0.05)
    raise AssertionError(f"{topic}: the group does not settle; its members hold {before}")


@pytest.mark.parametrize(
    ("made", "libraries"),
    [
        (OptimalAssignor, ("kafka", "kafka", "kafka")),
        (CooperativeOptimalAssignor, ("kafka", "kafka", "kafka")),
        (OptimalAssignor, ("aiokafka", "aiokafka", "aiokafka")),
        (OptimalAssignor, ("kafka", "aiokafka", "aiokafka")),
        (OptimalAssignor, ("aiokafka", "kafka", "kafka")),
    ],
)
def test_a_third_member_joins(cluster, made, libraries):
    name = f"{made.__name__}-{'-'.join(libraries)}"
    cluster.create({name: SIZE})
    racks = tuple((RACKS[n % 3], RACKS[(n + 1) % 3]) for n in range(SIZE))
    clients = [f"{name}-{rack}" for rack in RACKS]
    held = dict.fromkeys(clients, ())
    with python_members(cluster.address) as members:
        for count in (2, 3):
            for client, library in list(zip(clients, libraries, strict=True))[0 if count == 2 else 2 : count]:
                members.start(library, client, f"group-{name}", made(client[-1]), name)
            group = Group(
                (Topic(name, SIZE, racks),),
                tuple(Member(client, (name,), held[client], rack=client[-1]) for client in clients[:count]),
            )
            now = settled(members, clients[:count], name)
            if count == 3:
                best = compute_optimum(ORDER, group)
                assert remeasure(group, now, parse_question(ORDER)) == best.values
                assert best.values == {"balance": 0, "cross-rack": 0, "moves": 3}
            held |= now
