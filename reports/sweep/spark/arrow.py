"""The columns of a sweep's rows for pyarrow."""

import pyarrow as pa

from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import Column, columns_of, fields

_TYPES = {"bigint": pa.int64(), "int": pa.int32(), "string": pa.string(), "boolean": pa.bool_()}


def arrow_schema(run: Run) -> pa.Schema:
    """Return the schema of a run's rows."""

    def type_of(column: Column) -> pa.DataType:
        if column.type == "struct":
            return pa.struct([(name, pa.int64()) for name in fields(column.name, run)])
        if column.type.startswith("array"):
            return pa.list_(pa.string())
        return _TYPES[column.type]

    return pa.schema([pa.field(c.name, type_of(c), nullable=c.nullable) for c in columns_of(run)])
