"""Java's PriorityQueue: a binary heap, whose order among equals depends on all that happened to it.

Source: the documentation of java.util.PriorityQueue; checked against OpenJDK 17.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

E = TypeVar("E")


class PriorityQueue(Generic[E]):
    """A queue that gives the element with the least key first; iterated, it shows its elements as they lie in the heap."""

    def __init__(self, key: Callable[[E], Any]) -> None:
        self._key = key
        self._heap: list[E] = []

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[E]:
        return iter(self._heap)

    def offer(self, element: E) -> None:
        """Add an element: from the end it rises past all that are greater."""
        self._heap.append(element)
        self._rise(len(self._heap) - 1, element)

    def _rise(self, at: int, element: E) -> None:
        key = self._key(element)
        while at and key < self._key(self._heap[(at - 1) >> 1]):
            self._heap[at] = self._heap[(at - 1) >> 1]
            at = (at - 1) >> 1
        self._heap[at] = element

    def poll(self) -> E:
        """Remove the least element; the last one sinks from the top past all that are less."""
        least, last = self._heap[0], self._heap.pop()
        if self._heap:
            self._sink(0, last)
        return least

    def remove(self, element: E) -> None:
        """Remove an element, if it is there; the last one takes its place and sinks, or rises where it cannot sink."""
        if element not in self._heap:
            return
        at, last = self._heap.index(element), self._heap.pop()
        if at < len(self._heap):
            self._sink(at, last)
            if self._heap[at] is last:
                self._rise(at, last)

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
