"""Large groups without the garbage collector: millions of objects, none of them garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
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
