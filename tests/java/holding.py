"""What runs in Spark's Python workers: compares chunks of groups, and hands on what came of them."""

import atexit
from collections.abc import Iterator
from contextlib import ExitStack

import msgspec
import pyarrow as pa
from held import HELD, Held, one_identity_hash

from kassay.comparison.differential import Comparison, Course
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.opening import open_kafka

COLUMN = "course"
CHUNKS_A_TASK = 5
"""A few seconds' work."""

ENDLESS_S, FLOW_S = 10.0, 120.0
"""Seconds for an answer: some consumers' assignors never end, while flows across racks only take their time, in 3.6 most of all."""

_OPEN = ExitStack()
_COMPARISONS: dict[str, Comparison] = {}  # of this process: Java stays open from task to task
atexit.register(_OPEN.close)


def hold_chunks(
    name: str, seed: int, first: int, end: int, tasks: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Turn numbers of tasks into courses, each of a few chunks between `first` and `end`."""
    held = next(held for held in HELD if held.name == name)
    source, comparison = held.chunks(seed), _comparison(held)
    for task in (number for batch in tasks for number in batch.column(0).to_pylist()):
        start = first + task * CHUNKS_A_TASK
        course = Course(list(held.classes), held.name, seed)
        for chunk in range(start, min(start + CHUNKS_A_TASK, end)):
            for _ in comparison.compare(source(comparison.family, comparison.against.assign, chunk), course):
                pass  # it notes them too
            course.chunks += 1
        yield pa.RecordBatch.from_pydict({COLUMN: [msgspec.json.encode(course).decode()]})


def _comparison(held: Held) -> Comparison:
    """Open the classes of a behaviour, and close those of the last one."""
    if held.reference not in _COMPARISONS:
        _OPEN.close()
        _COMPARISONS.clear()
        one_identity_hash()
        options = Options(timeout_s=FLOW_S if held.family == "streams" else ENDLESS_S)
        targets = [
            _OPEN.enter_context(open_kafka(one, one.partition(":")[2], options)) for one in held.classes
        ]
        _COMPARISONS[held.reference] = Comparison(
            targets, open_target(held.reference, options), family(held.family)
        )
    return _COMPARISONS[held.reference]
