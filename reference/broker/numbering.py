"""The partitions of some topics as numbers, which sort and are looked up faster: places in the list of them all."""

from collections.abc import Callable, Collection, Sequence
from itertools import chain

from kassay.model import Topic, TopicPartition


class Numbering:
    """Numbers partitions by topic in the order given; behind come those that are owned but gone, as they are met.

    `existing` is how many there are; `whole` says whether all that was owned so far is among these.
    """

    def __init__(self, topics: Collection[Topic]) -> None:
        self.every: list[TopicPartition] = []
        self.of_topic: dict[str, list[int]] = {}
        numbers = list(range(sum(topic.partitions for topic in topics)))
        for topic in topics:
            start = len(self.every)
            self.of_topic[topic.name] = numbers[start : start + topic.partitions]
            self.every += topic.listed()
        self.existing = len(self.every)
        self.whole = True
        self._gone: dict[TopicPartition, int] = {}

    def numbers(self, owned: Sequence[TopicPartition]) -> list[int]:
        """Return the numbers of what a member owns of these topics."""
        of_topic = self.of_topic
        try:
            return [of_topic[topic][number] for topic, number in owned]
        except LookupError:
            self.whole = False
            return [self._number(partition) for partition in owned if partition.topic in of_topic]

    def _number(self, partition: TopicPartition) -> int:
        numbers = self.of_topic[partition.topic]
        if partition.partition < len(numbers):
            return numbers[partition.partition]
        if partition not in self._gone:
            self._gone[partition] = len(self.every)
            self.every.append(partition)
        return self._gone[partition]

    def by_topic(self, numbers: list[int]) -> list[int]:
        """Return numbers topic by topic, in the order in which the topics come first."""
        if numbers == sorted(numbers) and not self._gone:
            return numbers
        grouped: dict[str, list[int]] = {}
        for number in numbers:
            grouped.setdefault(self.every[number].topic, []).append(number)
        return list(chain.from_iterable(grouped.values()))

    def order(self) -> Callable[[int], int] | None:
        """Return the key that sorts numbers by topic and partition: none as long as nothing is gone."""
        if not self._gone:
            return None
        place = {topic: at for at, topic in enumerate(self.of_topic)}
        ranked = sorted((place[topic], number, at) for at, (topic, number) in enumerate(self.every))
        return {at: rank for rank, (_, _, at) in enumerate(ranked)}.__getitem__
