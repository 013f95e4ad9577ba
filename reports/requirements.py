"""The requirements of a sweep: PySpark and its packages, and processor cores."""

import os
from importlib.util import find_spec

from kassay.errors import InputError


def require_spark() -> None:
    """Raise InputError if PySpark, or a package that it needs for Arrow, is not installed."""
    missing = [name for name in ("pyspark", "pandas", "pyarrow") if find_spec(name) is None]
    if missing:
        raise InputError(f"sweep: {', '.join(missing)} is not installed. Run: pip install 'kassay[reports]'")


def count_cores() -> int:
    """Count the processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
