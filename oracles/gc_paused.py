"""Large groups without the garbage collector: millions of objects, none of them garbage."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

# A process that ends is not to look through all it has made once more, and give it back piece by piece: that takes seconds.
atexit.register(gc.freeze)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Look for no garbage in this block or function, which can take a tenth of the time then; for all threads of the process."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # all counts as looked at: else the next object made has every one of them looked through
        gc.unfreeze()
        gc.enable()
