"""Large groups without the garbage collector: millions of objects, none of them garbage."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Otherwise a process looks through all its objects again when it ends, and frees them one by one, which takes seconds.
atexit.register(gc.freeze)


@contextmanager
def pause_gc() -> Iterator[None]:
    """Stop the garbage collector in this block or function, for all threads; this can be ten times as fast."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # marks all objects as examined; otherwise the next allocation examines every one of them
        gc.unfreeze()
        gc.enable()
