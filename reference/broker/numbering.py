"""The partitions of some topics as numbers, which sort and are looked up faster: places in the list of them all."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain

from kassay.model import Topic, TopicPartition


class Numbering:
    """Numbers partitions by topic in the order given; behind come those that are owned but gone, as they are met.

    `existing` is how many there are.
    """

    def __init__(self, topics: Collection[Topic]) -> None:
        self.every = [*chain.from_iterable(map(Topic.listed, topics))]
        self.of_topic: dict[str, list[int]] = {}
        numbers, start = list(range(len(self.every))), 0
        for topic in topics:
            end = start + topic.partitions
            self.of_topic[topic.name] = numbers[start:end]
            start = end
        self.existing = len(self.every)
        self._gone: dict[TopicPartition, int] = {}

    def numbers(self, owned: Mapping[str, Sequence[int]]) -> list[int]:
        """Return the numbers of what a member owns of these topics, topic by topic."""
        found: list[int] = []
        try:
            for topic, numbers in owned.items():
                found += map(self.of_topic[topic].__getitem__, numbers)
        except LookupError:
            known = [topic for topic in owned if topic in self.of_topic]
            return [self._number(topic, number) for topic in known for number in owned[topic]]
        return found

    def _number(self, topic: str, number: int) -> int:
        known = self.of_topic[topic]
        if number < len(known):
            return known[number]
        partition = TopicPartition(topic, number)
        if partition not in self._gone:
            self._gone[partition] = len(self.every)
            self.every.append(partition)
        return self._gone[partition]

    def order(self) -> Callable[[int], int] | None:
        """Return the key that sorts numbers by topic and partition: none as long as nothing is gone."""
        if not self._gone:
            return None
        place = {topic: at for at, topic in enumerate(self.of_topic)}
        ranked = sorted((place[topic], number, at) for at, (topic, number) in enumerate(self.every))
        return {at: rank for rank, (_, _, at) in enumerate(ranked)}.__getitem__
