"""The processes that check several targets: each takes one target after the other, and keeps what the checks share."""

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from kassay.engine.group_cache import GroupCache
from kassay.engine.plan import Plan, Result, check_target, list_errors
from kassay.files.reading import Read

ENDING_S = 1.0
"""Seconds that a process may take to end when it is no longer needed."""


@dataclass
class Worker:
    """A process that checks targets."""

    process: SpawnProcess
    connection: Connection
    """Sends specs to the process, and receives its results."""
    spec: str | None = None
    """The target that it checks now."""


def check_targets(
    specs: Sequence[str],
    plan: Plan,
    given: Sequence[Read],
    jobs: int,
    report: Callable[[str, int | str], None],
) -> Iterator[Result]:
    """Check targets, `jobs` at a time, and yield their results in the order of the targets.

    A target whose process dies is an error; the others keep their verdicts. Raises InputError if the plan names an
    unknown thing.
    """
    if len(specs) == 1 or jobs == 1:
        cache = GroupCache() if len(specs) > 1 else None
        for spec in specs:
            yield from check_target(spec, plan, given, partial(report, spec), cache)
        return
    waiting = deque(specs)
    found: dict[str, deque[Result]] = {spec: deque() for spec in specs}
    ended: set[str] = set()
    workers: list[Worker] = []
    try:
        for spec in specs:
            while spec not in ended:
                while waiting and sum(worker.spec is not None for worker in workers) < jobs:
                    idle = next((worker for worker in workers if worker.spec is None), None)
                    if idle is None:
                        idle = _start(plan, given)
                        workers.append(idle)
                    idle.spec = waiting.popleft()
                    idle.connection.send(idle.spec)
                _listen(workers, plan, report, found, ended)
            yield from found.pop(spec)
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join(ENDING_S)
            worker.process.kill()


def _start(plan: Plan, given: Sequence[Read]) -> Worker:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_run_worker, args=(there, plan, given), daemon=True)
    process.start()
    there.close()  # Then the pipe ends when the process ends.
    return Worker(process, here)


def _listen(
    workers: list[Worker],
    plan: Plan,
    report: Callable[[str, int | str], None],
    found: dict[str, deque[Result]],
    ended: set[str],
) -> None:
    """Receive one result from each process that has some; raises the exception of a process that failed."""
    busy = {worker.connection: worker for worker in workers if worker.spec is not None}
    for connection in wait(list(busy)):
        assert isinstance(connection, Connection)
        worker = busy[connection]
        spec = worker.spec
        assert spec is not None
        try:
            item: Any = connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            status = worker.process.exitcode
            how = f"with exit status {status}"
            if status and status < 0:
                how = f"of signal {signal.Signals(-status).name}"
            why = f"the process that judged it died {how} (out of memory, or killed). Try fewer targets at a time with -j"
            found[spec] = deque(list_errors(spec, plan, why))
            ended.add(spec)
            workers.remove(worker)
            continue
        if item is None:
            ended.add(spec)
            worker.spec = None
        elif isinstance(item, int | str):
            report(spec, item)
        elif isinstance(item, BaseException):
            raise item
        else:
            found[spec].append(item)


def _run_worker(connection: Connection, plan: Plan, given: Sequence[Read]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent process ends this one.
    cache = GroupCache()
    while True:
        try:
            for item in check_target(connection.recv(), plan, given, connection.send, cache):
                connection.send(item)
            connection.send(None)
        except EOFError:
            return  # The parent process has ended.
        except Exception as error:  # noqa: BLE001 - the parent process raises it again
            error.add_note("".join(traceback.format_exception(error)))
            connection.send(error)
            return
