"""Java's PriorityQueue: a binary heap, whose order among equals depends on all that happened to it.

Source: the documentation of java.util.PriorityQueue; checked against OpenJDK 17.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

E = TypeVar("E")


class PriorityQueue(Generic[E]):
    """A queue that gives the element with the least key first; iterated, it shows its elements as they lie in the heap.

    The constructor orders its elements as in Java, from the last one with a child to the first.
    Offering them in turn results in another heap.
    """

    def __init__(self, key: Callable[[E], Any], elements: Iterable[E] = ()) -> None:
        self._key = key
        self._heap = list(elements)
        for at in reversed(range(len(self._heap) // 2)):
            self._sink(at, self._heap[at])

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[E]:
        return iter(self._heap)

    def __contains__(self, element: object) -> bool:
        return element in self._heap

    def offer(self, element: E) -> None:
        """Add an element: from the end it rises past all that are greater."""
        self._heap.append(element)
        self._rise(len(self._heap) - 1, element)

    def poll(self) -> E:
        """Remove the least element; the last one sinks from the top past all that are less."""
        least, last = self._heap[0], self._heap.pop()
        if self._heap:
            self._sink(0, last)
        return least

    def remove(self, element: E) -> bool:
        """Remove the first equal element, if there is one, and say so; the last one sinks from its place, or else rises."""
        if element not in self._heap:
            return False
        at, last = self._heap.index(element), self._heap.pop()
        if at < len(self._heap):
            self._sink(at, last)
            if self._heap[at] is last:
                self._rise(at, last)
        return True

    def _rise(self, at: int, element: E) -> None:
        key = self._key(element)
        while at and key < self._key(self._heap[(at - 1) >> 1]):
            self._heap[at] = self._heap[(at - 1) >> 1]
            at = (at - 1) >> 1
        self._heap[at] = element

    def _sink(self, at: int, element: E) -> None:
        key, size = self._key(element), len(self._heap)
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and self._key(self._heap[child + 1]) < self._key(self._heap[child]):
                child += 1
            if not self._key(self._heap[child]) < key:
                break
            self._heap[at] = self._heap[child]
            at = child
        self._heap[at] = element


class FixedQueue(Generic[E]):
    """The same queue, faster, of elements whose keys are given when they are offered and stay as they are."""

    def __init__(self, offered: Iterable[tuple[float, E]] = ()) -> None:
        self._keys: list[float] = []
        self._elements: list[E] = []
        for key, element in offered:
            self.offer(key, element)

    def __len__(self) -> int:
        return len(self._keys)

    def offer(self, key: float, element: E) -> None:
        """Add an element: from the end it rises past all that are greater."""
        keys, elements, at = self._keys, self._elements, len(self._keys)
        keys.append(key)
        elements.append(element)
        while at and key < keys[above := (at - 1) >> 1]:
            keys[at], elements[at] = keys[above], elements[above]
            at = above
        keys[at], elements[at] = key, element

    def poll(self) -> E:
        """Remove the least element; the last one sinks from the top past all that are less."""
        keys, elements = self._keys, self._elements
        least, key, last = elements[0], keys.pop(), elements.pop()
        at, child, size = 0, 1, len(keys)
        while child < size:
            if child + 1 < size and keys[child + 1] < keys[child]:
                child += 1
            if key <= keys[child]:
                break
            keys[at], elements[at] = keys[child], elements[child]
            at, child = child, 2 * child + 1
        if size:
            keys[at], elements[at] = key, last
        return least
