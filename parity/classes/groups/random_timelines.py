"""Random groups that some assignor may really have led to: claims of the last rebalance, and a few of missed ones."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from classes.groups import random_groups

from kassay.model import Group, Member, Topic, TopicPartition

NAMES = [f"{prefix}{number}" for prefix in ("t", "orders-", "é") for number in range(8)]
RACKS = ("a", "b", "c")


def stream(seed: int) -> Iterator[Group]:
    """Yield hostile groups and sound ones in turn, without end; a seed gives the same ones everywhere."""
    sound = groups(seed)
    for hostile in random_groups.groups(seed):
        yield hostile
        yield next(sound)


def groups(seed: int) -> Iterator[Group]:
    """Yield the groups of one timeline after another, without end."""
    rng = random.Random(seed)
    while True:
        timeline = _Timeline(rng)
        for _ in range(rng.randint(2, 7)):
            yield timeline.group()
            timeline.rebalance()
            for _ in range(rng.choice((0, 1, 1, 2, 3))):
                rng.choice(timeline.events)()


@dataclass
class _Timeline:
    """A group while members and topics come and go."""

    rng: random.Random
    topics: list[Topic] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    generation: int = 0

    def __post_init__(self) -> None:
        rng = self.rng
        self.equal = rng.random() < 0.5
        self.racks = rng.choice((0, 0, 2, 3))
        self.static = rng.random() < 0.3
        for _ in range(rng.randint(1, 5)):
            self._add_topic()
        for _ in range(rng.randint(1, rng.choice((3, 6, 6, 12)))):
            self._join()
        self.events = (
            self._add_topic,
            self._join,
            self._join,
            self._leave,
            self._grow,
            self._lag,
            self._subscribe,
            self._shuffle,
        )

    def group(self) -> Group:
        return Group(tuple(self.topics), tuple(self.members))

    def rebalance(self) -> None:
        """Let members keep what they have up to the average, and give the rest to whoever subscribes and has least."""
        partitions = dict.fromkeys(partition for topic in self.topics for partition in topic)
        share = -(-len(partitions) // max(1, len(self.members)))
        given: dict[str, list[TopicPartition]] = {}
        taken: set[TopicPartition] = set()
        for member in self.members:
            mine = [
                p for p in member.owned if p in partitions and p not in taken and p.topic in member.topics
            ]
            given[member.id] = mine[:share]
            taken.update(mine[:share])
        for partition in partitions:
            takers = [member.id for member in self.members if partition.topic in member.topics]
            if partition not in taken and takers:
                given[min(takers, key=lambda taker: len(given[taker]))].append(partition)
        self.generation += 1
        self.members = [
            replace(member, owned=tuple(given[member.id]), generation=self.generation)
            for member in self.members
        ]

    def _add_topic(self) -> None:
        name = self.rng.choice(NAMES)
        if all(topic.name != name for topic in self.topics):
            self.topics.append(self._topic(name, self.rng.randint(1, 9)))
            if self.equal:
                self.members = [replace(member, topics=(*member.topics, name)) for member in self.members]

    def _topic(self, name: str, partitions: int) -> Topic:
        if not self.racks:
            return Topic(name, partitions)
        replicas = self.rng.randint(1, 2)
        return Topic(
            name,
            partitions,
            tuple(tuple(self.rng.sample(RACKS[: self.racks], replicas)) for _ in range(partitions)),
        )

    def _join(self) -> None:
        number = self.rng.randrange(100)
        if all(member.id != f"m{number}" for member in self.members):
            self.members.append(
                Member(
                    f"m{number}",
                    self._subscription(),
                    instance_id=f"i{99 - number}" if self.static else None,
                    rack=self.rng.choice(RACKS[: self.racks]) if self.racks else None,
                )
            )

    def _subscription(self) -> tuple[str, ...]:
        names = [topic.name for topic in self.topics]
        return tuple(names if self.equal else self.rng.sample(names, self.rng.randint(1, len(names))))

    def _leave(self) -> None:
        if len(self.members) > 1:
            self.members.pop(self.rng.randrange(len(self.members)))

    def _grow(self) -> None:
        place = self.rng.randrange(len(self.topics))
        topic = self.topics[place]
        self.topics[place] = self._topic(topic.name, topic.partitions + self.rng.randint(1, 3))

    def _lag(self) -> None:
        """Let a member have missed a rebalance or two: what it claims may be others' by now."""
        place = self.rng.randrange(len(self.members))
        member, other = self.members[place], self.rng.choice(self.members)
        late = self.generation - self.rng.randint(0, 2)
        if member.owned and late >= 0:
            claims = tuple(dict.fromkeys((*member.owned, *other.owned[:2])))
            self.members[place] = replace(member, owned=claims, generation=late)

    def _subscribe(self) -> None:
        if not self.equal:
            place = self.rng.randrange(len(self.members))
            self.members[place] = replace(self.members[place], topics=self._subscription())

    def _shuffle(self) -> None:
        self.rng.shuffle(self.members)
