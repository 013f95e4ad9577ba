"""Java's priority queue, against what a Java machine answered (parity/classes/recorder/record.py) and what a heap promises."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.reference.java.priority_queue import FixedQueue, PriorityQueue

RECORDED = Path(__file__).parents[3] / "parity" / "classes" / "answers" / "priority_queues.jsonl"
SMALL = st.lists(st.integers(0, 9), max_size=20)


@pytest.mark.parametrize("line", RECORDED.read_text().splitlines())
def test_heaps_as_java_has_them(line: str) -> None:
    script = json.loads(line)
    queue = PriorityQueue(Decimal, script["first"])
    for step in script["steps"]:
        if step[0] == "+":
            queue.offer(step[1:])
        elif step[0] == "-":
            queue.remove(step[1:])
        elif queue:
            queue.poll()
    assert " ".join(queue) == script["heap"]


@given(SMALL, SMALL, SMALL)
def test_a_queue_is_a_sorted_bag(first: list[int], offered: list[int], removed: list[int]) -> None:
    queue = PriorityQueue(lambda element: element, first)
    left = list(first)
    for element in offered:
        queue.offer(element)
        left.append(element)
    for element in removed:
        assert queue.remove(element) == (element in left)
        if element in left:
            left.remove(element)
        heap = list(queue)
        assert all(heap[(at - 1) // 2] <= heap[at] for at in range(1, len(heap)))
    assert [queue.poll() for _ in range(len(queue))] == sorted(left)


@given(SMALL)
def test_a_queue_made_of_sorted_elements_lies_in_their_order(elements: list[int]) -> None:
    assert list(PriorityQueue(lambda element: element, sorted(elements))) == sorted(elements)


def test_making_a_queue_is_not_offering_in_turn() -> None:
    offered: PriorityQueue[int] = PriorityQueue(lambda element: element)
    for element in (3, 2, 1):
        offered.offer(element)
    assert list(offered) == [1, 3, 2]
    assert list(PriorityQueue(lambda element: element, (3, 2, 1))) == [1, 2, 3]


def test_the_last_element_rises_where_it_does_not_sink() -> None:
    queue = PriorityQueue(lambda element: element, (0, 10, 1, 11, 12, 2, 3))
    queue.remove(11)
    assert list(queue) == [0, 3, 1, 10, 12, 2]
    assert 11 not in queue


@given(st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=60))
def test_a_queue_of_fixed_keys_is_the_same_queue(steps: list[int | None]) -> None:
    """None polls; elements of one key are told apart by when they were offered."""
    live: PriorityQueue[tuple[int, int]] = PriorityQueue(lambda element: element[0])
    fixed: FixedQueue[tuple[int, int]] = FixedQueue()
    for at, key in enumerate(steps):
        if key is not None:
            live.offer((key, at))
            fixed.offer(key, (key, at))
        elif live:
            assert fixed.poll() == live.poll()
    assert len(fixed) == len(live)
    assert [fixed.poll() for _ in range(len(fixed))] == [live.poll() for _ in range(len(live))]
