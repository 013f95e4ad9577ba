"""What runs in Spark's Python workers: compares chunks of groups, and hands on what came of them."""

import atexit
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import msgspec
import pyarrow as pa
from classes.differ.counterparts import COUNTERPARTS, Counterpart, one_identity_hash

from kassay.engine.differential import Comparison, Course, write_groups
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java import open_kafka

COLUMN = "course"
CHUNKS_A_TASK = 5
"""A few seconds' work."""

ENDLESS_S, FLOW_S = 10.0, 120.0
"""Seconds for an answer: some consumers' assignors never end, while flows across racks only take their time, in 3.6 most of all."""

_OPEN = ExitStack()
_COMPARISONS: dict[str, Comparison] = {}  # of this process: Java stays open from task to task
atexit.register(_OPEN.close)


def hold_chunks(
    names: Sequence[str], seed: int, first: int, end: int, tasks: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Turn numbers of tasks into the courses of behaviours that answer the same groups, each of a few chunks between `first` and `end`."""
    every = [next(held for held in COUNTERPARTS if held.name == name) for name in names]
    source, comparisons = every[0].chunks(seed), _comparisons(every)
    of = comparisons[0]
    for task in (number for batch in tasks for number in batch.column(0).to_pylist()):
        start = first + task * CHUNKS_A_TASK
        courses = [Course(list(held.classes), held.name, seed) for held in every]
        for chunk in range(start, min(start + CHUNKS_A_TASK, end)):
            groups = source(of.family, of.against.assign, chunk)
            texts = write_groups(groups, of.family)
            for comparison, course in zip(comparisons, courses, strict=True):
                for _ in comparison.compare(groups, course, texts):
                    pass  # it notes them too
                course.chunks += 1
        yield pa.RecordBatch.from_pydict({COLUMN: [msgspec.json.encode(courses).decode()]})


def _comparisons(every: Sequence[Counterpart]) -> list[Comparison]:
    """Open the classes of some behaviours, and close those of the last ones."""
    if list(_COMPARISONS) != [held.name for held in every]:
        _OPEN.close()
        _COMPARISONS.clear()
        one_identity_hash()
        for held in every:
            options = Options(timeout_s=FLOW_S if held.family == "streams" else ENDLESS_S)
            targets = [
                _OPEN.enter_context(open_kafka(one, one.partition(":")[2], options)) for one in held.classes
            ]
            against = open_target(held.reference, options)
            _COMPARISONS[held.name] = Comparison(targets, against, family(held.family))
    return list(_COMPARISONS.values())
