"""A door, which takes bytes, and the limits for one input."""

import random
import resource
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

MOST_MB = 128
"""The memory by which one input may let the process grow."""


@dataclass(frozen=True)
class Door:
    """Something that takes bytes, and inputs to begin with."""

    enter: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    mutate: Callable[[bytes, random.Random], bytes] | None = None
    """Changes an input, in addition to the fuzzer's own changes."""


def limit_memory(enter: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Let a door fail where one input takes too much memory."""

    def enters(data: bytes) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        enter(data)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        assert grown <= MOST_MB, f"it took {grown} MB"

    return enters


def trace_memory(enter: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Do the same by Python's own count, which is slower, and the same each time."""

    def enters(data: bytes) -> None:
        tracemalloc.start()
        try:
            enter(data)
            assert tracemalloc.get_traced_memory()[1] <= MOST_MB * 2**20, "it took too much memory"
        finally:
            tracemalloc.stop()

    return enters
