"""The sticky assignment of different subscriptions in the slow and obvious way, and compared.

Without numbers, queues and short cuts: as Kafka does, it looks for everything afresh each time.
"""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from whole import share

from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.properties.partitions.generating.strategies import groups
from kassay.reference.consumer.members import are_used, rack_of, racks_of
from kassay.reference.consumer.sticky.assignor import assign, subscribed_alike
from kassay.reference.consumer.sticky.perform_reassignments import ENDLESS
from kassay.reference.java.hash_map import HashTable, hash_order
from kassay.reference.java.strings import int32, string_hash, string_order, topic_partition_hash

MANY_PASSES = 300
Lists = dict[str, list[TopicPartition]]


class Plain:
    """One assignment; afterwards `lists` is the answer."""

    def __init__(self, group: Group) -> None:
        self.members = {member.id: member for member in group.members}
        names = {name for member in group.members for name in member.topics}
        self.topics = {t.name: t for t in group.topics if t.partitions and t.name in names}
        self.racks = {p: racks for t in self.topics.values() for p, racks in zip(t, racks_of(t), strict=True)}
        self.use_racks = are_used(group.members, self.racks.values())
        self.generation = {m.id: -1 if m.generation is None else m.generation for m in group.members}
        self.lists: Lists = {name: [] for name in self.members}
        self.settle_claims()
        self.general()

    def settle_claims(self) -> None:
        last: dict[TopicPartition, str] = {}
        for name, member in self.members.items():
            for partition in member.owned:
                if partition.topic in self.topics:
                    other = last.get(partition)
                    if other is not None and self.generation[name] < self.generation[other]:
                        continue
                    if other is not None and partition in self.lists[other]:
                        self.lists[other].remove(partition)
                    if other is None or self.generation[name] > self.generation[other]:
                        self.lists[name].append(partition)
                    last[partition] = name

    def is_near(self, name: str, partition: TopicPartition) -> bool:
        rack = rack_of(self.members[name])
        return not self.use_racks or rack is None or rack in self.racks.get(partition, ())

    def is_in_rack(self, name: str, partition: TopicPartition) -> bool:
        return rack_of(self.members[name]) in self.racks[partition]

    def free(self, topics: list[str]) -> list[TopicPartition]:
        """What nobody has; but nothing is crossed off after a claim to what does not exist."""
        order = {topic: n for n, topic in enumerate(topics)}
        taken = sorted(
            (p for own in self.lists.values() for p in own), key=lambda p: (order[p.topic], p.partition)
        )
        free = []
        for topic in topics:
            for partition in self.topics[topic]:
                if taken and taken[0] == partition:
                    taken.pop(0)
                else:
                    free.append(partition)
        return free

    def general(self) -> None:
        self.readers = {
            t: [m.id for m in self.members.values() for name in m.topics if name == t] for t in self.topics
        }
        held = {name: own.copy() for name, own in self.lists.items()}
        for name, own in self.lists.items():
            own[:] = [p for p in own if p.topic in self.members[name].topics and self.is_near(name, p)]
        starting = not any(self.lists.values())
        gave_up = held != self.lists
        self.owner = {p: name for name, own in self.lists.items() for p in own}
        order = sorted(self.topics, key=lambda t: (len(self.readers[t]), string_order(t)))
        free = self.free(order)
        rest = free
        if self.use_racks:
            rest = [
                p
                for p in free
                if not self.hand_out(p, [m for m in self.readers[p.topic] if self.is_near(m, p)])
            ]
        for partition in rest:
            self.hand_out(partition, self.readers[partition.topic])
        self.table = HashTable(string_hash, order_of=string_order)
        for name in self.members:
            self.table.add(name)
        fixed = [
            n
            for n in hash_order(self.members, string_hash, len(self.members), string_order)
            if self.is_fixed(n)
        ]
        for name in fixed:
            self.table.remove(name)
        before = {name: own.copy() for name, own in self.lists.items()}
        self.came_from: dict[TopicPartition, str] = {}
        self.movements: dict[tuple[str, str, str], HashTable[TopicPartition]] = {}
        if not gave_up:
            self.move_all([p for p in free if len(self.readers[p.topic]) > 1])
        moved = self.move_all([p for t in order if len(self.readers[t]) > 1 for p in self.topics[t]])
        if moved and not starting and self.unevenness(self.lists) >= self.unevenness(before):
            self.lists = before

    def hand_out(self, partition: TopicPartition, members: list[str]) -> bool:
        if members:
            taker = min(members, key=self.rank)
            self.lists[taker].append(partition)
            self.owner[partition] = taker
        return bool(members)

    def rank(self, name: str) -> tuple[int, str]:
        return len(self.lists[name]), string_order(name)

    def capacity(self, name: str) -> int:
        sizes = [self.topics[t].partitions for t in self.members[name].topics if t in self.topics]
        if len(sizes) == len(self.topics):
            return sum(topic.partitions for topic in self.topics.values())
        return sum(sizes)

    def is_fixed(self, name: str) -> bool:
        own = self.lists[name]
        return len(own) >= self.capacity(name) and all(len(self.readers[p.topic]) < 2 for p in own)

    def load(self, name: str) -> int:
        if name not in self.table:
            raise AssignorError("NullPointerException")
        return len(self.lists[name])

    def is_balanced(self) -> bool:
        owner = {p: name for name in self.table for p in self.lists[name]}
        return not any(
            self.load(name) + 2 <= self.load(owner[partition])
            for name in self.table
            if self.load(name) != self.capacity(name)
            for topic in self.members[name].topics
            if topic in self.topics
            for partition in self.topics[topic]
            if partition not in self.lists[name]
        )

    def move_all(self, partitions: list[TopicPartition]) -> bool:
        for passes in range(MANY_PASSES):
            if not sum(self.move(partition) for partition in self.until_balanced(partitions)):
                return passes > 0
        raise AssignorError(ENDLESS)

    def until_balanced(self, partitions: list[TopicPartition]) -> Iterator[TopicPartition]:
        for partition in partitions:
            if self.is_balanced():
                return
            yield partition

    def move(self, partition: TopicPartition) -> bool:
        owner = self.owner[partition]
        most = self.load(owner) - 2
        previous = self.previous(partition)
        if previous is not None and self.load(previous) <= most:
            self.move_to(partition, previous)
            return True
        readers = self.readers[partition.topic]
        near: list[str] = []
        if self.use_racks and self.is_in_rack(owner, partition):
            near = [name for name in readers if self.is_in_rack(name, partition)]
        if any(self.load(name) <= most for name in near) or any(self.load(name) <= most for name in readers):
            self.move_to(partition, min((name for name in readers if name in self.table), key=self.rank))
            return True
        return False

    def previous(self, partition: TopicPartition) -> str | None:
        newest = max(self.generation.values())
        old = [m.id for m in self.members.values() if partition in m.owned and self.generation[m.id] < newest]
        return max(old, key=self.generation.__getitem__, default=None)

    def move_to(self, partition: TopicPartition, taker: str) -> None:
        source = self.came_from.get(partition, self.owner[partition])
        back = self.movements.get((partition.topic, taker, source))
        if back:
            partition = next(iter(back))
        owner = self.owner[partition]
        source = self.came_from.pop(partition, owner)
        if source != owner:
            self.movements[partition.topic, source, owner].remove(partition)
            if not self.movements[partition.topic, source, owner]:
                del self.movements[partition.topic, source, owner]
        if source != taker:
            self.came_from[partition] = source
            self.movements.setdefault((partition.topic, source, taker), HashTable(topic_partition_hash)).add(
                partition
            )
        self.lists[owner].remove(partition)
        self.lists[taker].append(partition)
        self.owner[partition] = taker

    def unevenness(self, lists: Lists) -> int:
        loads = [len(lists[name]) for name in self.table]
        return int32(sum(abs(one - other) for n, one in enumerate(loads) for other in loads[:n]))


def answer(group: Group, plainly: bool) -> dict[str, list[TopicPartition]] | str:
    """Ask about a group of members that send what StickyAssignor does."""
    group = replace(group, members=tuple(replace(m, user_data=None) for m in group.members))
    try:
        return Plain(group).lists if plainly else {name: list(own) for name, own in assign(group).items()}
    except AssignorError as error:
        return str(error)


@settings(deadline=None)
@given(group=groups())
def test_equal_on_all_kinds_of_groups(group: Group) -> None:
    assume(subscribed_alike(group) < len(group.members))
    assert answer(group, plainly=False) == answer(group, plainly=True)


@st.composite
def lopsided(draw: st.DrawFn) -> Group:
    """Groups in which few members own much and many partitions have to move, some of them home again."""
    sizes = draw(st.lists(st.integers(1, 9), min_size=2, max_size=4))
    topics = tuple(Topic(f"t{n}", size) for n, size in enumerate(sizes))
    ids = draw(st.lists(st.sampled_from("abcdefghpqr"), min_size=3, max_size=7, unique=True))
    subscriptions = {
        name: draw(st.lists(st.sampled_from(topics), max_size=len(topics), unique=True)) for name in ids
    }
    owned: dict[str, list[TopicPartition]] = {name: [] for name in ids}
    for topic in topics:
        readers = [name for name in ids if topic in subscriptions[name]] or ids
        some = draw(st.lists(st.sampled_from(readers), min_size=1, max_size=2))
        for partition in [
            *topic,
            *draw(st.sampled_from([[], [], [], [TopicPartition(topic.name, topic.partitions)]])),
        ]:
            owned[some[partition.partition % len(some)]].append(partition)
    members = []
    for name in ids:
        late = draw(st.integers(0, 3)) == 0
        claims = (
            draw(st.lists(st.sampled_from([p for t in topics for p in t]), unique=True))
            if late
            else owned[name]
        )
        topics_of = tuple(topic.name for topic in subscriptions[name])
        members.append(Member(name, topics_of, tuple(claims), 1 if late else 2))
    return Group(topics, tuple(members))


@settings(deadline=None, max_examples=share(60, 300))
@given(group=lopsided())
def test_equal_when_much_has_to_move(group: Group) -> None:
    assume(subscribed_alike(group) < len(group.members))
    assert answer(group, plainly=False) == answer(group, plainly=True)
