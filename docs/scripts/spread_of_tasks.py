"""How assignors of tasks spread subtopologies, and how often better spread would have cost nothing: ``python docs/scripts/spread_of_tasks.py --groups N``.

docs/scripts/spread.py does the same for topics. Applications are drawn from a seed, new or after a change of clients, and evaluated after convergence. All tasks have
state, and no task has a standby. Streams groups are evaluated by process. docs/results/topic-balance.md shows the counts.
"""

import argparse
from dataclasses import dataclass, replace
from random import Random

from spread import RESULTS, Counts, Runs, parse_arguments

from kassay.families.shape import Assign
from kassay.model.tasks import Application, Client, Task, TaskAssignment, TaskId
from kassay.oracles.tasks.optima import compute_dominance, compute_optima
from kassay.properties.tasks.members.processes import build_group, group_by_process
from kassay.properties.tasks.rounds import apply_answer, settle
from kassay.targets import Options, open_target

KEPT = RESULTS / "subtopology-spread.json"
NAMES = ("streams/high-availability", "streams/legacy-sticky", "streams/sticky", "streams-group/sticky")
LOG = 100_000
"""How many records there are to restore of each task."""


@dataclass(frozen=True)
class Row:
    """A row: the common features of its applications."""

    threads: str
    event: str
    sizes: str

    @property
    def said(self) -> str:
        """The name of the row."""
        return f"{self.threads}, {self.event}, {self.sizes}"

    def draw_start(self, r: Random) -> Application:
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
        return Application(tasks, tuple(self.draw_client(r, n, tasks) for n in range(clients)))

    def draw_client(self, r: Random, number: int, tasks: tuple[Task, ...]) -> Client:
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


def find_last_placement(name: str, assign: Assign, application: Application) -> TaskAssignment | None:
    """Return the placement after convergence by clients or processes, or None if the application never converges."""
    if name.startswith("streams-group/"):
        group = build_group(application)
        return group_by_process(group, assign(group))
    settled = settle(assign, application)
    return settled.answer if settled.rounds is not None else None


def build_application(name: str, assign: Assign, row: Row, seed: int) -> Application | None:
    """Return the application that an assignor is asked about: where something happened, clients run what it gave them before."""
    r = Random(seed)
    before = row.draw_start(r)
    if row.event == "fresh":
        return before
    held = find_last_placement(name, assign, before)
    if held is None:
        return None
    now = apply_answer(before, held)
    if row.event == "one leaves":
        return replace(now, clients=now.clients[:-1])
    return replace(now, clients=(*now.clients, row.draw_client(r, len(now.clients), now.tasks)))


def count_answers(name: str, assign: Assign, row: Row, numbers: range, found: Counts) -> None:
    """Judge an assignor's answers to some applications of a row."""
    for n in numbers:
        application = build_application(name, assign, row, n)
        answer = None if application is None else find_last_placement(name, assign, application)
        verdict = None if application is None or answer is None else compute_dominance(application)(answer)
        if application is None or answer is None or verdict is None:
            continue
        over = {
            gap.level: gap.over
            for gap in compute_optima(application, ("balance", verdict.level)).gaps(answer)
        }
        found.add(verdict, even=not over["balance"], best=not any(over.values()))


RUNS = Runs("spread_of_tasks.py", KEPT, ROWS, NAMES)


def write_spread_of_subtopologies() -> str:
    """Return the table of drawn applications."""
    return "\n".join(RUNS.write_rows("applications", "clients, application, sizes"))


def main() -> None:
    """Run as far as asked, and print the table."""
    options = parse_arguments(argparse.ArgumentParser(description="How assignors spread subtopologies."))
    if options.groups > RUNS.read_counts()["groups"]:
        targets = {name: open_target(name, Options()).assign for name in NAMES}
        RUNS.run(options.groups, options.seed, lambda name, *what: count_answers(name, targets[name], *what))
    print(write_spread_of_subtopologies())


if __name__ == "__main__":
    main()
