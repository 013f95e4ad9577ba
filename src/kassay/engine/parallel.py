"""Check several targets at once, each in a process of its own, with the results in the order of the targets."""

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from kassay.engine.plan import Plan, Result, check_target, errored
from kassay.files.reading import Read

ENDING_S = 1.0
"""Seconds that a process which is no longer needed may take to end."""


@dataclass
class Worker:
    """A process that checks one target: what it said so far that was not handed on, and whether that is all."""

    process: SpawnProcess
    said: Connection
    waiting: deque[Result] = field(default_factory=deque)
    ended: bool = False


def check_targets(
    specs: Sequence[str], plan: Plan, given: Sequence[Read], jobs: int, report: Callable[[str, int], None]
) -> Iterator[Result]:
    """Check targets, `jobs` at a time, and yield their results in the order of the targets.

    A target whose process dies is errored; the others keep their verdicts. Raises InputError where the plan names what
    does not exist.
    """
    if len(specs) == 1 or jobs == 1:
        for spec in specs:
            yield from check_target(spec, plan, given, partial(report, spec))
        return
    waiting = deque(specs)
    workers: dict[str, Worker] = {}
    try:
        for spec in specs:
            while spec in waiting or not workers[spec].ended:
                while waiting and sum(not worker.ended for worker in workers.values()) < jobs:
                    started = waiting.popleft()
                    workers[started] = _start(started, plan, given)
                _listen(workers, plan, report)
            yield from workers[spec].waiting
    finally:
        for worker in workers.values():
            worker.process.terminate()
        for worker in workers.values():
            worker.process.join(ENDING_S)
            worker.process.kill()


def _start(spec: str, plan: Plan, given: Sequence[Read]) -> Worker:
    context = multiprocessing.get_context("spawn")
    heard, said = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(said, spec, plan, given), daemon=True)
    process.start()
    said.close()  # so that the end of the process is the end of the pipe
    return Worker(process, heard)


def _listen(workers: dict[str, Worker], plan: Plan, report: Callable[[str, int], None]) -> None:
    """Take what the processes say, once; raises what one of them raised."""
    running = {worker.said: spec for spec, worker in workers.items() if not worker.ended}
    for said in wait(list(running)):
        assert isinstance(said, Connection)
        spec = running[said]
        worker = workers[spec]
        try:
            item: Any = said.recv()
        except (EOFError, OSError):
            worker.process.join()
            worker.ended = True
            status = worker.process.exitcode
            how = f"with exit status {status}"
            if status and status < 0:
                how = f"of signal {signal.Signals(-status).name}"
            why = f"the process that judged it died {how} (out of memory, or killed); try fewer targets at a time with -j"
            worker.waiting = deque(errored(spec, plan, why))
            continue
        if item is None:
            worker.ended = True
        elif isinstance(item, int):
            report(spec, item)
        elif isinstance(item, BaseException):
            raise item
        else:
            worker.waiting.append(item)


def _work(said: Connection, spec: str, plan: Plan, given: Sequence[Read]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that listens ends this one
    try:
        for item in check_target(spec, plan, given, said.send):
            said.send(item)
        said.send(None)
    except Exception as error:  # noqa: BLE001 - raised again where it is heard
        error.add_note("".join(traceback.format_exception(error)))
        said.send(error)
