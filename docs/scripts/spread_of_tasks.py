"""How assignors of tasks spread subtopologies, and how often better spread would have cost nothing: ``python docs/scripts/spread_of_tasks.py --groups N``.

As docs/scripts/spread.py does it for topics: applications are drawn by a seed, fresh or one client after the assignor itself placed all tasks, and judged on what they
come to rest on. All tasks keep state, nobody has a standby. A streams group is judged by its processes. ``--write`` writes docs/topic-spread.md from what is kept.
"""

import argparse
import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from spread import LATEST, PAGE, ROUND, Counts

from kassay.model.tasks import Application, Client, Task, TaskAssignment, TaskId
from kassay.oracles.tasks.dominated import dominance
from kassay.oracles.tasks.optima import optima
from kassay.properties.tasks.members.processes import group_of, of_processes
from kassay.properties.tasks.rounds import after
from kassay.properties.tasks.settling import settle
from kassay.shape import Assign
from kassay.targets import Options, open_target

KEPT = PAGE.with_name("subtopology-spread.json")
NAMES = ("streams/high-availability", "streams/legacy-sticky", "streams/sticky", "streams-group/sticky")
BEGIN, END = "<!-- written by docs/scripts/spread_of_tasks.py -->\n", "<!-- end -->\n"
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
        found.answers += 1
        found.even += not over["balance"]
        found.best += not any(over.values())
        found.dominated += verdict.verdict is True
        found.unknown += verdict.verdict is None
        found.excess += verdict.value


def kept() -> dict[str, Any]:
    """Return what is kept of the run so far."""
    data: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {"groups": 0, "rows": []}
    return data


def run(groups: int, seed: int) -> None:
    """Go on with the run until so many applications of each row are judged, and keep it after each round."""
    data = kept()
    known = {(row["of"], row["assignor"]): Counts(**row["counts"]) for row in data["rows"]}
    targets = {name: open_target(name, Options()) for name in NAMES}
    for first in range(data["groups"], groups, ROUND):
        for row in ROWS:
            for name, target in targets.items():
                found = known.setdefault((row.said, name), Counts())
                counted(
                    name, target.assign, row, range(seed * 10**9 + first, seed * 10**9 + first + ROUND), found
                )
        rows = [{"of": of, "assignor": name, "counts": asdict(c)} for (of, name), c in known.items()]
        about = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}", "kafka": LATEST, "seed": seed,
            "command": f"python docs/scripts/spread_of_tasks.py --groups {first + ROUND} --seed {seed}",
        }  # fmt: skip
        KEPT.write_text(json.dumps(about | {"groups": first + ROUND, "rows": rows}, indent=1) + "\n")


def page() -> str:
    """Return the written part of the page."""
    data = kept()
    cells = {(row["of"], row["assignor"]): Counts(**row["counts"]) for row in data["rows"]}
    ran = f"{data['groups']:,} applications a row, {data['groups'] * len(ROWS):,} in all"
    lines = ["", f"{ran}: references of Kafka {data['kafka']}; `{data['command']}`, {data['date']}.", ""]
    lines += [f"| clients, application, sizes | {' | '.join(NAMES)} |", f"|---{'|---' * len(NAMES)}|"]
    lines += [f"| {row.said} | {' | '.join(cells[row.said, name].cell for name in NAMES)} |" for row in ROWS]
    return "\n".join([*lines, "", ""])


def main() -> None:
    """Run as far as asked; print the part, or write it into the page."""
    parser = argparse.ArgumentParser(description="How assignors spread subtopologies.")
    parser.add_argument("--groups", type=int, default=0, help="go on with the run up to so many of each row")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the page from the run that is kept")
    options = parser.parse_args()
    if options.groups > kept()["groups"]:
        run(options.groups, options.seed)
    part = page()
    if not options.write:
        print(part)
        return
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{part}{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
