"""How assignors of tasks spread subtopologies, and how often better spread would have cost nothing: ``python docs/scripts/spread_of_tasks.py --groups N``.

As docs/scripts/spread.py does it for topics: applications are drawn by a seed, fresh or one client after the assignor itself placed all tasks, and judged on what they
come to rest on. All tasks keep state, nobody has a standby. A streams group is judged by its processes. docs/results/topic-balance.md is made of what is kept.
"""

import argparse
from dataclasses import dataclass, replace
from random import Random

from spread import RESULTS, Counts, Runs, asked

from kassay.model.tasks import Application, Client, Task, TaskAssignment, TaskId
from kassay.oracles.tasks.optima import dominance, optima
from kassay.properties.tasks.members.processes import group_of, of_processes
from kassay.properties.tasks.rounds import after, settle
from kassay.shape import Assign
from kassay.targets import Options, open_target

KEPT = RESULTS / "subtopology-spread.json"
NAMES = ("streams/high-availability", "streams/legacy-sticky", "streams/sticky", "streams-group/sticky")
LOG = 100_000
"""How many records there are to restore of each task."""


@dataclass(frozen=True)
class Row:
    """What applications of a row have in common."""

    threads: str
    event: str
    sizes: str

    @property
    def said(self) -> str:
        """What it is called."""
        return f"{self.threads}, {self.event}, {self.sizes}"

    def before(self, r: Random) -> Application:
        """Draw an application before anything happens to it; one client more than it has there where one leaves."""
        number, clients, size = (
            r.randint(2, 4),
            r.randint(2, 7) + (self.event == "one leaves"),
            r.randint(1, 16),
        )
        sizes = [size if self.sizes == "equal" else r.randint(1, 16) for _ in range(number)]
        tasks = tuple(
            Task(TaskId(j, n), stateful=True) for j, count in enumerate(sizes) for n in range(count)
        )
        return Application(tasks, tuple(self.client(r, n, tasks) for n in range(clients)))

    def client(self, r: Random, number: int, tasks: tuple[Task, ...]) -> Client:
        """Draw a client that has run nothing."""
        threads = r.randint(1, 4) if self.threads == "1 to 4 threads" else 1
        lags = {task.id: LOG for task in tasks}
        return Client(f"00000000-0000-0000-0000-{number + 1:012}", threads, lags=lags)


ROWS = [
    Row(threads, event, sizes)
    for threads in ("1 thread", "1 to 4 threads")
    for event in ("fresh", "one comes", "one leaves")
    for sizes in ("equal", "different")
]


def rests(name: str, assign: Assign, application: Application) -> TaskAssignment | None:
    """Return what an application comes to rest on, by its clients or processes; None where it never does."""
    if name.startswith("streams-group/"):
        group = group_of(application)
        return of_processes(group, assign(group))
    settled = settle(assign, application)
    return settled.answer if settled.rounds is not None else None


def asked_of(name: str, assign: Assign, row: Row, seed: int) -> Application | None:
    """Return the application that an assignor is asked about: where something happened, clients run what it gave them before."""
    r = Random(seed)
    before = row.before(r)
    if row.event == "fresh":
        return before
    held = rests(name, assign, before)
    if held is None:
        return None
    now = after(before, held)
    if row.event == "one leaves":
        return replace(now, clients=now.clients[:-1])
    return replace(now, clients=(*now.clients, row.client(r, len(now.clients), now.tasks)))


def counted(name: str, assign: Assign, row: Row, numbers: range, found: Counts) -> None:
    """Judge an assignor's answers to some applications of a row."""
    for n in numbers:
        application = asked_of(name, assign, row, n)
        answer = None if application is None else rests(name, assign, application)
        verdict = None if application is None or answer is None else dominance(application)(answer)
        if application is None or answer is None or verdict is None:
            continue
        over = {gap.level: gap.over for gap in optima(application, ("balance", verdict.level)).gaps(answer)}
        found.add(verdict, even=not over["balance"], best=not any(over.values()))


RUNS = Runs("spread_of_tasks.py", KEPT, ROWS, NAMES)


def spread_of_subtopologies() -> str:
    """Return the table of drawn applications."""
    return "\n".join(RUNS.table("applications", "clients, application, sizes"))


def main() -> None:
    """Run as far as asked, and print the table."""
    options = asked(argparse.ArgumentParser(description="How assignors spread subtopologies."))
    if options.groups > RUNS.kept()["groups"]:
        targets = {name: open_target(name, Options()).assign for name in NAMES}
        RUNS.run(options.groups, options.seed, lambda name, *what: counted(name, targets[name], *what))
    print(spread_of_subtopologies())


if __name__ == "__main__":
    main()
