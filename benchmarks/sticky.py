"""How fast sticky assignment is, against kafka-python's: medians of runs in this process, made by turns.

``python benchmarks/sticky.py [--partitions 10000] [--members 1000] [--topics 100] [--limit 120] [--runs 3]``

Each case is timed on the same group for both. kafka-python gets decoded subscriptions and a cluster whose
look-ups cost nothing; building them is not timed. A run of it is stopped at the limit (in seconds): then the
ratio is a lower bound, and a group of a fifth of the partitions and members follows.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from jmh.limits import OverTimeError, limited
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from kafka.coordinator.assignors.sticky.user_data import StickyAssignorUserData
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription
from rich.console import Console

from kassay.families.shape import TextTable
from kassay.model import Group, Member, Topic
from kassay.output.pretty import build_table
from kassay.reference.consumer.sticky.assignor import assign

OUR_RUNS = 5  # for each of kafka-python's

Subscribe = Callable[[int, int, list[str]], list[str]]
"""From a member's number, the number of members and all topics to its own topics."""


def same(_member: int, _members: int, topics: list[str]) -> list[str]:
    """Everybody subscribes to all topics."""
    return topics


def halves(member: int, _members: int, topics: list[str]) -> list[str]:
    """Everybody subscribes to a random half of the topics, another one for each member."""
    chosen = set(random.Random(member).sample(topics, max(1, len(topics) // 2)))
    return [topic for topic in topics if topic in chosen]


def fifths(member: int, members: int, topics: list[str]) -> list[str]:
    """Each fifth of the members subscribes to a fifth of the topics, as in Kafka's JMH benchmark."""
    part = member * 5 // members
    return topics[part * len(topics) // 5 : (part + 1) * len(topics) // 5]


def fresh(partitions: int, members: int, topics: int, subscribe: Subscribe) -> Group:
    """Make a group whose members have nothing yet."""
    names = [f"topic{number}" for number in range(topics)]
    return Group(
        tuple(Topic(name, partitions // topics) for name in names),
        tuple(Member(f"member{n}", tuple(subscribe(n, members, names))) for n in range(members)),
    )


def one_left(group: Group) -> Group:
    """Return the group when its members have what they were given, and the one in the middle has left."""
    given = assign(group)
    members = [replace(m, owned=tuple(given[m.id]), generation=1) for m in group.members]
    del members[len(members) // 2]
    return replace(group, members=tuple(members))


@dataclass(frozen=True)
class Joined:
    """A member as kafka-python's leader sees it."""

    member_id: str
    metadata: Any


class Cluster:
    """The topics as kafka-python's leader sees them."""

    def __init__(self, group: Group) -> None:
        self._partitions = {topic.name: set(range(topic.partitions)) for topic in group.topics}

    def topics(self) -> set[str]:
        """Return the names of all topics."""
        return set(self._partitions)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Return a topic's partition numbers."""
        return self._partitions.get(topic)


def theirs(group: Group) -> Callable[[], object]:
    """Prepare kafka-python's run."""
    cluster, members = Cluster(group), [Joined(m.id, _subscription(m)) for m in group.members]
    return lambda: StickyPartitionAssignor().assign(cluster, members)


def _subscription(member: Member) -> Any:
    owned: dict[str, list[int]] = {}
    for topic, partition in member.owned:
        owned.setdefault(topic, []).append(partition)
    user_data: Any = StickyAssignorUserData(list(owned.items()), member.generation) if owned else b""
    return ConsumerProtocolSubscription(0, list(member.topics), user_data)


def timed(run: Callable[[], object]) -> float:
    """Return the seconds that a run takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(group: Group, runs: int, limit: float) -> tuple[float, float, bool]:
    """Return the medians of our runs and of kafka-python's in seconds, and whether it was stopped."""
    ours: list[float] = []
    others: list[float] = []
    for _ in range(runs):
        prepared = theirs(group)
        ours += [timed(lambda: assign(group)) for _ in range(OUR_RUNS)]
        try:
            with limited(limit):
                others.append(timed(prepared))
        except OverTimeError:
            return statistics.median(ours), limit, True
    return statistics.median(ours), statistics.median(others), False


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--partitions", type=int, default=10_000)
    parser.add_argument("--members", type=int, default=1_000)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    sizes = [(options.partitions, options.members), (options.partitions // 5, options.members // 5)]
    rows = []
    for subscribe in (same, halves, fifths):
        for change in ("fresh", "one left"):
            for partitions, members in sizes:
                group = fresh(partitions, members, options.topics, subscribe)
                if change == "one left":
                    group = one_left(group)
                ours, others, stopped = compare(group, options.runs, options.limit)
                more = "> " if stopped else ""
                rows.append(
                    [
                        f"{partitions} x {members}",
                        subscribe.__name__,
                        change,
                        f"{ours * 1000:.1f}",
                        f"{more}{others * 1000:.0f}",
                        f"{more}{others / ours:.0f}",
                    ]
                )
                if not stopped:
                    break
    columns = ["partitions x members", "subscriptions", "group", "kassay ms", "kafka-python ms", "ratio"]
    Console(width=120).print(build_table(TextTable(columns, rows)))


if __name__ == "__main__":
    main()
