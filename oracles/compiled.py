"""Functions that numba compiles to machine code at the first call and stores on disk: the only module that imports numba.

Sweeps, the long comparison and tests are faster with it; no answer needs it.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from kassay.oracles.errors import UnsolvedError

try:
    import numba
except ImportError as missing:
    raise UnsolvedError(
        f"numba is missing ({missing}); sweeps are faster with it, the long comparison needs it: pip install 'kassay[test]'"
    ) from missing

P = ParamSpec("P")
R = TypeVar("R")


def compile_function(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function over arrays and whole numbers; sums wrap at 64 bits, so the caller checks their size."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True)(function))
    except RuntimeError:  # no folder can be written to: every process compiles again
        return cast("Callable[P, R]", numba.njit(function))


def inline_function(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a short function into all its callers, as the call would take longer than its work."""
    return cast("Callable[P, R]", numba.njit(forceinline=True)(function))
