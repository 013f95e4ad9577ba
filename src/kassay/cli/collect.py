"""Commands on large groups without the garbage collector: millions of objects, none of them garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage in this block, which can double its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # all counts as looked at: else the next object made has every one of them looked through
        gc.unfreeze()
        gc.enable()
