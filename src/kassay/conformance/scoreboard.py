"""Stored runs of released clients and coordinators, and the scoreboard: what each of them keeps."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

import kassay
from kassay.conformance.fixtures import Fixtures, count_pairs, read_record, refuse_other_format
from kassay.errors import InputError
from kassay.output.block import BROKEN
from kassay.sentences import join_names

CLIENT_RUNS = Path(kassay.__file__).parent / "conformance" / "runs"
"""The stored runs of clients; `nox -s parity -- fixtures --write` makes them."""


CaseId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[a-z]+(-[a-z]+)*-[0-9]{1,6}$")]
"""The id of a case, such as consumer-0001."""
CASES_MAX = 999_999
"""The largest number of a case."""
_NUMBER = re.compile(r"[0-9]{1,6}")


class Failed(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A failed check of a case with the violation; a `flaky` check passes in other runs."""

    case: CaseId
    check: str
    wrong: str
    flaky: bool = False


class OfAssignor(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The results of one assignor."""

    name: str
    kept: dict[str, str]
    """For each check the numbers of the cases that kept it, as ranges."""
    failed: list[Failed]

    def cases(self, check: str) -> set[int]:
        """Return the numbers of the cases that kept a check."""
        return set(parse_ranges(self.kept.get(check, "")))


class Stored(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A run of one release of a client, with its date and command; `runs` is the number of repetitions."""

    format: int
    library: str
    release: str
    language: str
    date: str
    command: str
    family: str
    fixtures: str
    runs: int
    assignors: Annotated[list[OfAssignor], msgspec.Meta(min_length=1)]

    @property
    def order(self) -> tuple[int, ...]:
        """The sort key of releases of a library: 1.10 comes after 1.9."""
        parts = self.release.replace("-", ".").split(".")
        return tuple(int(part) if _NUMBER.fullmatch(part) else 0 for part in parts)


def read_stored_runs(places: Sequence[Path]) -> list[Stored]:
    """Read runs from files and folders, sorted by library and release.

    Raises InputError with file and field, also for another format, and if there is no run or a run occurs twice.
    """
    files = [
        file for place in places for file in (sorted(place.glob("*.json")) if place.is_dir() else [place])
    ]
    if not files:
        raise InputError(
            f"{', '.join(map(str, places))}: there are no stored runs. Give files that end in .json"
        )

    def check_ranges(run: Stored) -> None:
        for one in run.assignors:
            for check in one.kept:
                one.cases(check)

    runs = []
    for file in files:
        runs.append(read_record(file, Stored, check_ranges))
        refuse_other_format(file, runs[-1].format)
    runs.sort(key=lambda run: (run.library, run.order))
    names = [(run.library, run.release) for run in runs]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice:
        raise InputError(f"{' '.join(twice)}: stands in two of the files. Give one run of each release")
    return runs


def write_ranges(numbers_: Sequence[int]) -> str:
    """Write ascending numbers as ranges, such as 1-3,5."""
    counted = count()
    parts = [[*each] for _, each in groupby(numbers_, key=lambda number: number - next(counted))]
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def parse_ranges(ranges: str) -> Iterator[int]:
    """Yield the numbers of ranges; raise InputError if a part is not a number or a range, or if a number is too large."""
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        ends = [first, last or first]
        if not all(map(_NUMBER.fullmatch, ends)):
            raise InputError(f"kept: {part!r} is not a number or range up to {CASES_MAX:,}. Write 1-3,5.")
        yield from range(int(ends[0]), int(ends[1]) + 1)


COLUMNS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "right": (
        "no item unassigned, assigned twice or to the wrong member, and no member left out",
        ("answers", "existing", "subscribed", "exclusive", "complete", "cooperative", "left_out"),
    ),
    "even": ("loads balanced", ("loads", "per_topic", "apart", "joined")),
    "few moves": ("no avoidable move", ("moves",)),
    "at rest": ("nothing moves again", ("again", "rounds")),
    "near": ("no avoidable cross-rack read", ("cross_rack",)),
    "steady": ("order, names and chance make no difference", ("order", "names", "static", "repeat")),
    "as Kafka": ("the answer of the class it ports", ("exact",)),
}
"""Column -> its meaning and the checks that it counts."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The number of cases that an assignor was run on, and its failures, smallest group first."""

    asked: int
    failed: Sequence[Failed]

    @property
    def kept(self) -> int:
        """The number of cases without failure."""
        return self.asked - len({one.case for one in self.failed})

    @property
    def says(self) -> str:
        """The figure as text."""
        return f"{self.kept} of {self.asked}" if self.asked else "not asked"


@dataclass(frozen=True, slots=True)
class Row:
    """An assignor of a release, with its cells by column."""

    run: Stored
    assignor: str
    cells: Mapping[str, Cell]

    @property
    def name(self) -> str:
        """Return library and assignor."""
        return f"{self.run.library} {self.assignor}"

    @property
    def right(self) -> bool:
        """True if it is correct on every group that it was run on."""
        return not self.cells["right"].failed


def count_rows(runs: Sequence[Stored], fixtures: Fixtures) -> list[Row]:
    """Return a row for each assignor of each run."""
    sizes = {case.id: count_pairs(case.group, fixtures.form) for case in fixtures.cases}
    return [Row(run, one.name, _count_cells(one, sizes)) for run in runs for one in run.assignors]


def _count_cells(one: OfAssignor, sizes: Mapping[str, int]) -> dict[str, Cell]:
    cells = {}
    for column, (_, checks) in COLUMNS.items():
        failed = [each for each in one.failed if each.check in checks]
        failed.sort(key=lambda each: (sizes.get(each.case, 0), each.case))
        kept = set().union(*(one.cases(check) for check in checks))
        wrong = {int(each.case.rpartition("-")[2]) for each in failed}
        cells[column] = Cell(len(kept | wrong), failed)
    return cells


def select_newest(every: Sequence[Row]) -> list[Row]:
    """Return the rows of the newest release of each library."""
    last = {row.run.library: row.run.order for row in sorted(every, key=lambda row: row.run.order)}
    return [row for row in every if row.run.order == last[row.run.library]]


def describe_newest(shown: Sequence[Row]) -> str:
    """Return the headline on the newest releases."""
    right = [row for row in shown if row.right]
    clean = [row for row in shown if not any(cell.failed for cell in row.cells.values())]
    said = f"{len(right)} of {len(shown)} assignors of {len({row.run.library for row in shown})} clients are right about every group that they can be asked about"
    if not clean:
        return f"{said}; none passes all checks."
    return f"{said}; {join_names([row.name for row in clean])} pass{'es' * (len(clean) == 1)} all checks."


PROTOCOL_RUNS = Path(kassay.__file__).parent / "conformance" / "judged"
"""The stored protocol runs; `nox -s parity -- clients --in-groups --write`, `clients --write` and `coordinator --over-the-wire --write` make them."""
Kind = Literal["client", "leader", "coordinator"]


class Promise(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The verdict of a promise."""

    name: str
    outcome: str
    breaches: int
    """The number of runs with a violation."""
    judged: int
    """The number of checked runs."""
    says: str = ""
    """The message of the first violation."""


class Part(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One strategy of a client, or one way to test a coordinator: its promises, and other figures by heading."""

    name: str
    promises: list[Promise]
    measured: dict[str, str] = {}

    @property
    def runs(self) -> int:
        """The number of runs."""
        return max((one.judged for one in self.promises), default=0)

    @property
    def broken(self) -> list[Promise]:
        """The broken promises, those with most violations first."""
        found = [one for one in self.promises if one.outcome == BROKEN]
        return sorted(found, key=lambda one: (-one.breaches, one.name))


class Judged(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A run of one release, with its date and command."""

    format: int
    kind: Kind
    name: str
    release: str
    date: str
    command: str
    parts: list[Part]


def build_part(name: str, verdicts: Iterable[Mapping[str, Any]]) -> Part:
    """Build a part from the verdicts of `kassay simulate --json`."""
    return Part(
        name,
        [
            Promise(one["property"], one["outcome"], one["breaches"], one["judged"], one["message"] if one["breaches"] else "")
            for one in verdicts
        ],
    )  # fmt: skip


def write_judged(folder: Path, run: Judged) -> None:
    """Write a run into its file, with a line for each promise."""
    folder.mkdir(exist_ok=True)
    head = {name: getattr(run, name) for name in run.__struct_fields__ if name != "parts"}
    parts = [
        f'{{"name": {json.dumps(part.name)}, "promises": [\n'
        + ",\n".join(json.dumps(msgspec.to_builtins(one)) for one in part.promises)
        + f'\n], "measured": {json.dumps(part.measured)}}}'
        for part in run.parts
    ]
    text = f'{json.dumps(head)[:-1]}, "parts": [\n' + ",\n".join(parts) + "\n]}\n"
    (folder / f"{run.kind}-{run.name}-{run.release}.json").write_text(text)


def read_protocol_runs(folder: Path = PROTOCOL_RUNS) -> Sequence[Judged]:
    """Read the runs of a folder, clients first; raise InputError with file and field, also for another format."""
    found = []
    for path in sorted(folder.glob("*.json")):
        run = read_record(path, Judged)
        refuse_other_format(path, run.format)
        found.append(run)
    return sorted(found, key=lambda run: (run.kind, run.name))


TITLES: Mapping[Kind, str] = {
    "client": "Clients in groups under faults, over the wire",
    "leader": "Clients as leaders, over the wire",
    "coordinator": "Coordinators, over the wire",
}
"""Titles of the runs by kind."""
NOTES: Mapping[Kind, str] = {
    "client": "",
    "leader": "The rates were measured on two cores with other load. A sticky assignor that answers like Kafka may differ after earlier "
    "groups, because it remembers them.",
    "coordinator": "Members and faults of the simulation at real brokers. All other promises hold.",
}
COUNTED: Mapping[Kind, str] = {"client": "runs", "leader": "generated groups", "coordinator": "runs"}
"""The unit of the cells of a kind."""


def matrix(
    runs: Sequence[Judged],
) -> tuple[list[str], list[str], list[tuple[Judged, Part, list[Promise | None]]]]:
    """Return the headings of figures, the promises that any part breaks, and the parts of all runs with these promises."""
    parts = [(run, part) for run in runs for part in run.parts]
    names = sorted({one.name for _, part in parts for one in part.broken})
    found = []
    for run, part in parts:
        of = {one.name: one for one in part.promises}
        found.append((run, part, [of.get(name) for name in names]))
    return list(dict.fromkeys(name for _, part in parts for name in part.measured)), names, found


def format_held(promise: Promise | None) -> str:
    """Return the number of runs in which a promise held and the number of all runs, "-" if it was not checked."""
    if promise is None or not promise.judged:
        return "-"
    return f"{promise.judged - promise.breaches}/{promise.judged}"
