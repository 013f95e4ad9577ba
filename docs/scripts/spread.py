"""How assignors spread topics, and how often better spread would have cost nothing: ``python docs/scripts/spread.py --groups N``.

Groups of 2 to 4 topics and 2 to 8 members are drawn by a seed. A group is fresh, or its members hold what the assignor itself
gave them before one came or left. The assignment after convergence counts. A run takes a hundred groups of each row per round, up to N
of each, and saves its counts after each round. An interrupted run continues. docs/results/topic-balance.md shows the counts.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from kassay.families import family
from kassay.families.convergence import rest
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import Assignment, AssignorError, Group, Member, Topic
from kassay.oracles.answers import Dominated
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.partitions.optima import compute_dominance, compute_ordered_optima
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.properties.partitions.measures import imbalance
from kassay.targets import Options, Target, open_target

RESULTS = Path(__file__).parents[1] / "results"
KEPT = RESULTS / "topic-spread.json"
ROUND = 100
NAMES = (
    "consumer/range", "consumer/roundrobin", "consumer/fair", "consumer/sticky", "consumer/cooperative-sticky", "broker/uniform",
    "franz-go sticky", "franz-go cooperative-sticky",
)  # fmt: skip
LATEST, FRANZ_GO = "4.4.0", "1.22.2"
"""Of which releases the answers are: Kafka's classes as the references have them, and franz-go as adapters/go/go.mod has it."""
ASKED = parse_question(f"{BALANCE},{TOPIC_SPREAD}")


@dataclass(frozen=True)
class Row:
    """A row: the common features of its groups."""

    subscriptions: str
    sizes: str
    event: str

    @property
    def said(self) -> str:
        """The name of the row."""
        return f"{self.subscriptions}, {self.event}, {self.sizes}"

    def draw_start(self, r: Random) -> Group:
        """Draw a group before anything happens to it; one member more than it has there where one leaves."""
        count, members = r.randint(2, 4), r.randint(2, 7) + (self.event == "one leaves")
        size = r.randint(1, 48)
        topics = tuple(
            Topic(f"t{n}", size if self.sizes == "equal" else r.randint(1, 48)) for n in range(count)
        )
        return Group(topics, tuple(self.draw_member(r, n, topics) for n in range(members)))

    def draw_member(self, r: Random, number: int, topics: tuple[Topic, ...]) -> Member:
        """Draw a member that subscribes to all topics, or to some."""
        some = [topic.name for topic in topics if self.subscriptions == "the same" or r.random() < 0.7]
        return Member(f"m{number}", tuple(some or [r.choice(topics).name]))


ROWS = [
    Row(subscriptions, sizes, event)
    for subscriptions in ("the same", "mixed")
    for event in ("fresh", "one comes", "one leaves")
    for sizes in ("equal", "different")
]


@dataclass
class Counts:
    """Counts of an assignor's answers for the groups of a row."""

    answers: int = 0
    even: int = 0
    best: int = 0
    dominated: int = 0
    unknown: int = 0
    excess: int = 0

    def add(self, verdict: Dominated, *, even: bool, best: bool) -> None:
        """Count an answer: whether its loads are the most even, whether it has the best spread among these, and whether it is dominated."""
        self.answers += 1
        self.even += even
        self.best += best
        self.dominated += verdict.verdict is True
        self.unknown += verdict.verdict is None
        self.excess += verdict.value

    @property
    def cell(self) -> str:
        """Shares of all answers: even, best in spread too, dominated; and the mean excess."""
        per = 100 / max(1, self.answers)
        unknown = f" ({self.unknown * per:.0f} % not known)" if self.unknown else ""
        return f"{self.even * per:.0f} / {self.best * per:.0f} / {self.dominated * per:.0f} %{unknown}, {self.excess / max(1, self.answers):.1f}"


class Named(Protocol):
    """A row of a table."""

    @property
    def said(self) -> str:
        """The name of the row."""


R = TypeVar("R", bound=Named)


@dataclass(frozen=True)
class Runs(Generic[R]):
    """A run over rows that is kept after each round: the script that makes it, its file, rows and assignors, and of which releases of others these are."""

    script: str
    file: Path
    rows: Sequence[R]
    names: Sequence[str]
    releases: Mapping[str, str] = field(default_factory=dict)

    def read_counts(self) -> dict[str, Any]:
        """Return what is kept of the run so far."""
        known: dict[str, Any] = {"groups": 0, "rows": []}
        return json.loads(self.file.read_text()) if self.file.exists() else known

    def run(self, groups: int, seed: int, count: Callable[[str, R, range, Counts], None]) -> None:
        """Continue until `groups` groups of each row are evaluated by `count`, and save the counts after each round."""
        data = self.read_counts()
        known = {(row["of"], row["assignor"]): Counts(**row["counts"]) for row in data["rows"]}
        for first in range(data["groups"], groups, ROUND):
            numbers = range(seed * 10**9 + first, seed * 10**9 + first + ROUND)
            for row in self.rows:
                for name in self.names:
                    count(name, row, numbers, known.setdefault((row.said, name), Counts()))
            rows = [{"of": of, "assignor": name, "counts": asdict(c)} for (of, name), c in known.items()]
            about = {
                "date": f"{datetime.now(UTC):%Y-%m-%d}", "kafka": LATEST, **self.releases, "seed": seed,
                "command": f"python docs/scripts/{self.script} --groups {first + ROUND} --seed {seed}",
            }  # fmt: skip
            self.file.write_text(json.dumps(about | {"groups": first + ROUND, "rows": rows}, indent=1) + "\n")

    def write_rows(self, what: str, heading: str) -> list[str]:
        """Return the lines that say how it was run, and a row for each row."""
        data = self.read_counts()
        cells = {(row["of"], row["assignor"]): Counts(**row["counts"]).cell for row in data["rows"]}
        ran = f"{data['groups']:,} {what} a row, {data['groups'] * len(self.rows):,} in all"
        of = "".join(f", {name} {data[name]}" for name in self.releases)
        return [
            f"{ran}: references of Kafka {data['kafka']}{of}; `{data['command']}`, {data['date']}.",
            "",
            f"| {heading} | {' | '.join(self.names)} |",
            f"|---{'|---' * len(self.names)}|",
            *(
                f"| {row.said} | {' | '.join(cells[row.said, name] for name in self.names)} |"
                for row in self.rows
            ),
            "",
        ]


def parse_arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Read how far to run, and from which seed."""
    parser.add_argument("--groups", type=int, default=0, help="number of groups in each row")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def build_group(of: Family, assign: Assign, row: Row, seed: int) -> Group:
    """Return the group that an assignor is asked about: where something happened, members hold what it gave them before."""
    r = Random(seed)
    before = row.draw_start(r)
    if row.event == "fresh":
        return before
    held = rest(of, assign, before).answer
    members = tuple(replace(m, owned=tuple(held[m.id]), generation=1) for m in before.members)
    if row.event == "one leaves":
        return replace(before, members=members[:-1])
    return replace(before, members=(*members, row.draw_member(r, len(members), before.topics)))


def open_assignor(name: str, franz_go: str) -> Target:
    """Open an assignor. franz-go needs its program (docs/results/scoreboard.md has the command that builds it)."""
    program, _, of = name.partition(" ")
    return open_target(f"exec:{franz_go} {of}" if of else program, Options())


def count_answers(target: Target, row: Row, numbers: range, found: Counts) -> None:
    """Judge an assignor's answers to some groups of a row."""
    of = family(target.family)
    for n in numbers:
        try:
            group = build_group(of, target.assign, row, n)
            answer = rest(of, target.assign, group).answer
        except AssignorError:
            continue
        judge_answer(group, answer, found)


def judge_answer(group: Group, answer: Assignment, found: Counts) -> None:
    """Count an answer to a group, unless dominance says nothing about it."""
    verdict = compute_dominance(group)(answer)
    if verdict is None:
        return
    if verdict.value == 0 and imbalance(group, answer) <= 1:
        even = best = True  # nothing is below that
    else:
        even, best = (gap.over == 0 for gap in compute_ordered_optima(group, ASKED).gaps(answer))
    found.add(verdict, even=even, best=even and best)


def replay_report() -> Iterator[tuple[int, str, Group, Assignment]]:
    """Yield what was reported with 24 + 24 + 96 partitions: the members before, an assignor, the group once one has come, and the answer."""
    sizes = (24, 24, 96)
    topics = tuple(Topic(f"t{n + 1}", size) for n, size in enumerate(sizes))
    names = tuple(topic.name for topic in topics)
    for members in (1, 2):
        for name in ("consumer/sticky", "broker/uniform"):
            of, assign = family(name.partition("/")[0]), open_target(name, Options()).assign
            before = Group(topics, tuple(Member(f"m{n}", names) for n in range(members)))
            best = (
                compute_optimum(str(ASKED), before).assignment
                if members > 1
                else rest(of, assign, before).answer
            )
            held = tuple(replace(m, owned=tuple(best[m.id]), generation=1) for m in before.members)
            group = Group(topics, (*held, Member(f"m{members}", names)))
            yield members, name, group, rest(of, assign, group).answer


def assign_new_group() -> tuple[Group, Assignment]:
    """Return the same topics with two members that hold nothing, and what the server's uniform assignor gives them."""
    topics = tuple(Topic(f"t{n + 1}", size) for n, size in enumerate((24, 24, 96)))
    group = Group(topics, tuple(Member(f"m{n}", tuple(topic.name for topic in topics)) for n in range(2)))
    of, assign = family("broker"), open_target("broker/uniform", Options()).assign
    return group, rest(of, assign, group).answer


def as_it_happened() -> Iterator[str]:
    """Yield rows of 24 + 24 + 96 partitions: one member, then two; two, then three."""
    for members, name, group, answer in replay_report():
        names = [topic.name for topic in group.topics]
        shares = " \\| ".join(
            ", ".join(str(sum(p.topic == t for p in answer[m.id])) for t in names) for m in group.members
        )
        value = remeasure(group, answer, parse_question(f"moves,{TOPIC_SPREAD}"))
        possible = compute_optimum(f"{BALANCE},moves,{TOPIC_SPREAD}", group).values
        yield (
            f"| {members} to {members + 1} | {name} | {shares} | {value['moves']} | {value[TOPIC_SPREAD]} | "
            f"{possible['moves']} | {possible[TOPIC_SPREAD]} |"
        )


RUNS = Runs("spread.py", KEPT, ROWS, NAMES, {"franz-go": FRANZ_GO})


def write_report() -> str:
    """Return the table of what was reported."""
    lines = [
        "| members | assignor | partitions of t1, t2, t3 at each member | moves | excess | fewest moves | least excess with them |",
        "|---|---|---|---|---|---|---|",
        *as_it_happened(),
        "",
    ]
    return "\n".join(lines)


def write_spread_of_topics() -> str:
    """Return the table of drawn groups."""
    return "\n".join(RUNS.write_rows("groups", "subscriptions, group, sizes"))


def main() -> None:
    """Run as far as asked, and print the table."""
    asking = argparse.ArgumentParser(description="How assignors spread topics.")
    asking.add_argument("--franz-go", default="adapters/go/franz-go", help="the program of adapters/go")
    options = parse_arguments(asking)
    with ExitStack() as stack:
        if options.groups > RUNS.read_counts()["groups"]:
            targets = {name: stack.enter_context(open_assignor(name, options.franz_go)) for name in NAMES}
            RUNS.run(options.groups, options.seed, lambda name, *what: count_answers(targets[name], *what))
    print(write_spread_of_topics())


if __name__ == "__main__":
    main()
