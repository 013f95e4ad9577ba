"""The code of Spark's Python workers: evaluate the groups of a task and return their rows as Arrow batches."""

import atexit
import gc
from collections.abc import Callable, Iterator
from functools import partial

import msgspec
import pyarrow as pa

from kassay.errors import InputError, TargetGoneError
from kassay.reports.sweep.judge_rows import Judge, Row, open_limited
from kassay.reports.sweep.manifest import Run, Stop, StopError, iterate_groups
from kassay.reports.sweep.rows import Column, fields, select_columns

_TYPES = {"bigint": pa.int64(), "int": pa.int32(), "string": pa.string(), "boolean": pa.bool_()}


def arrow_schema(run: Run) -> pa.Schema:
    """Return the schema of a run's rows."""

    def type_of(column: Column) -> pa.DataType:
        if column.type == "struct":
            return pa.struct([(name, pa.int64()) for name in fields(column.name, run)])
        if column.type.startswith("array"):
            return pa.list_(pa.string())
        return _TYPES[column.type]

    return pa.schema([pa.field(c.name, type_of(c), nullable=c.nullable) for c in select_columns(run)])


BATCH = 256
"""Rows of a batch: small, so that memory use is constant."""

_JUDGES: dict[bytes, Judge] = {}  # of this process: targets stay open between tasks


def make_evaluator(
    run: Run, wave: int, tasks: int
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for `mapInArrow` that converts task numbers to the rows of a wave."""
    return partial(_evaluate_tasks, msgspec.json.encode(run), wave, tasks)


def _evaluate_tasks(
    settings: bytes, wave: int, tasks: int, numbers: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    judge = _open_evaluator(settings)
    schema = arrow_schema(judge.run)
    for batch in numbers:
        for task in batch.column(0).to_pylist():
            yield from _batches(judge, wave, task, tasks, schema)


def _batches(judge: Judge, wave: int, task: int, tasks: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    rows: list[Row] = []
    for at in iterate_groups(judge.run, wave, task, tasks):
        try:
            rows += judge.rows(at)
        except InputError as wrong:
            raise StopError(Stop("input", str(wrong))) from None
        if len(rows) >= BATCH:
            yield pa.RecordBatch.from_pylist(rows, schema)
            rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema)


def _open_evaluator(settings: bytes) -> Judge:
    if settings in _JUDGES:
        return _JUDGES[settings]
    run = msgspec.json.decode(settings, type=Run)
    targets = []
    for name in run.names:
        try:
            targets.append(open_limited(name, run.families[name], run.timeout_s, run.memory_mb))
        except (InputError, TargetGoneError) as wrong:
            raise StopError(Stop("input", str(wrong))) from None
        atexit.register(targets[-1].close)
    _JUDGES[settings] = Judge(run, targets)
    if not gc.get_freeze_count():
        gc.freeze()  # Spark collects garbage after every task, which is slow with all these modules
    return _JUDGES[settings]
