"""A process that has made much ends at once: what is left is not looked through once more, nor given back piece by piece."""

import resource
import subprocess
import sys

MADE = """
import time
from kassay.oracles.gc_paused import pause_gc
with pause_gc():
    made = [[None] for _ in range(600_000)]
    for place, one in enumerate(made):
        one[0] = made[place - 1]
    del made, one
before = time.process_time()
print(before, flush=True)
"""


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_process_ends_at_once_however_much_it_has_made():
    before = seconds()
    done = subprocess.run([sys.executable, "-c", MADE], capture_output=True, text=True, check=True)
    ends = seconds() - before - float(done.stdout)
    assert ends < float(done.stdout) / 5, f"{ends:.2f} s to end after {done.stdout.strip()} s of work"
