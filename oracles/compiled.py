"""The one place that knows numba, for the long comparison and the tests alone: functions compiled to machine code when first called, and kept on disk."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from kassay.oracles.failures import UnsolvedError

try:
    import numba
except ImportError as missing:
    raise UnsolvedError(
        f"numba is missing ({missing}); the long comparison needs it: pip install 'kassay[test]'"
    ) from missing

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function over arrays and whole numbers; sums wrap at 64 bits, so the caller checks their size."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True)(function))
    except RuntimeError:  # no folder can be written to: every process compiles again
        return cast("Callable[P, R]", numba.njit(function))
