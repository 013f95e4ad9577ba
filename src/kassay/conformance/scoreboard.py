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
from kassay.sentences import listed

CLIENT_RUNS = Path(kassay.__file__).parent / "conformance" / "runs"
"""The runs that came with kassay; `nox -s parity -- fixtures --write` makes them."""


CaseId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[a-z]+(-[a-z]+)*-[0-9]{1,6}$")]
"""The id of a case, such as consumer-0001."""
CASES_MAX = 999_999
"""The largest number of a case."""
_NUMBER = re.compile(r"[0-9]{1,6}")


class Failed(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A check that failed on a case, and what is wrong; a `flaky` one passes in other runs."""

    case: CaseId
    check: str
    wrong: str
    flaky: bool = False


class OfAssignor(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The results of one assignor: `kept` has, by check, the numbers of the cases that kept it, as ranges."""

    name: str
    kept: dict[str, str]
    failed: list[Failed]

    def cases(self, check: str) -> set[int]:
        """Return the numbers of the cases that kept a check."""
        return set(numbers(self.kept.get(check, "")))


class Stored(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One run of a release of a client, and how it was made; `runs` is how often it was asked."""

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
        """The key that sorts releases of a library: 1.10 comes after 1.9."""
        parts = self.release.replace("-", ".").split(".")
        return tuple(int(part) if _NUMBER.fullmatch(part) else 0 for part in parts)


def read_stored(path: Path) -> Stored:
    """Read a stored run; raises InputError naming file and field, and where the format is another one."""

    def check_ranges(run: Stored) -> None:
        for one in run.assignors:
            for check in one.kept:
                one.cases(check)

    run = read_record(path, Stored, check_ranges)
    refuse_other_format(path, run.format)
    return run


def stored_in(places: Sequence[Path]) -> list[Stored]:
    """Read runs from files and folders, by library and release; raises InputError if there is no run, or one is there twice."""
    files = [
        file for place in places for file in (sorted(place.glob("*.json")) if place.is_dir() else [place])
    ]
    if not files:
        raise InputError(
            f"{', '.join(map(str, places))}: there are no stored runs; give files that end in .json"
        )
    runs = sorted(map(read_stored, files), key=lambda run: (run.library, run.order))
    names = [(run.library, run.release) for run in runs]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice:
        raise InputError(f"{' '.join(twice)}: stands in two of the files; give one run of each release")
    return runs


def as_ranges(numbers_: Sequence[int]) -> str:
    """Write rising numbers as ranges, such as 1-3,5."""
    counted = count()
    parts = [[*each] for _, each in groupby(numbers_, key=lambda number: number - next(counted))]
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def numbers(ranges: str) -> Iterator[int]:
    """Yield the numbers of ranges; raises InputError if a part is not a number or a rising range, or a number is too large."""
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        ends = [first, last or first]
        if not all(map(_NUMBER.fullmatch, ends)):
            raise InputError(f"kept: {part!r} is not a number or range up to {CASES_MAX:,}. Write 1-3,5.")
        yield from range(int(ends[0]), int(ends[1]) + 1)


COLUMNS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "right": (
        "nothing lost, doubled or misgiven, nobody left out",
        ("answers", "existing", "subscribed", "exclusive", "complete", "cooperative", "left_out"),
    ),
    "even": ("as even as can be", ("loads", "per_topic", "apart", "joined")),
    "few moves": ("none that is needless", ("moves",)),
    "at rest": ("nothing moves again", ("again", "rounds")),
    "near": ("no needless read from another rack", ("cross_rack",)),
    "steady": ("order, names and chance make no difference", ("order", "names", "static", "repeat")),
    "as Kafka": ("the answer of the class it ports", ("exact",)),
}
"""Column -> what it says and the checks that it counts."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Of how many cases an assignor was asked about it keeps how many, and what it fails, smallest group first."""

    asked: int
    failed: Sequence[Failed]

    @property
    def kept(self) -> int:
        """How many cases are kept."""
        return self.asked - len({one.case for one in self.failed})

    @property
    def says(self) -> str:
        """The figure as a text."""
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
        """True if it is right about every group that it was asked about."""
        return not self.cells["right"].failed


def rows(runs: Sequence[Stored], fixtures: Fixtures) -> list[Row]:
    """Count what each assignor of each run keeps."""
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


def newest(every: Sequence[Row]) -> list[Row]:
    """Return the rows of the newest release of each library."""
    last = {row.run.library: row.run.order for row in sorted(every, key=lambda row: row.run.order)}
    return [row for row in every if row.run.order == last[row.run.library]]


def headline(shown: Sequence[Row]) -> str:
    """Return the sentence on the newest releases."""
    right = [row for row in shown if row.right]
    clean = [row for row in shown if not any(cell.failed for cell in row.cells.values())]
    said = f"{len(right)} of {len(shown)} assignors of {len({row.run.library for row in shown})} clients are right about every group that they can be asked about"
    if not clean:
        return f"{said}; none passes all checks."
    return f"{said}; {listed([row.name for row in clean])} pass{'es' * (len(clean) == 1)} all checks."


PROTOCOL_RUNS = Path(kassay.__file__).parent / "conformance" / "judged"
"""The runs that came with kassay; `nox -s parity -- clients --in-groups --write`, `clients --write` and `coordinator --over-the-wire --write` make them."""
Kind = Literal["client", "leader", "coordinator"]


class Promise(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The verdict of a promise: its outcome, the number of runs that were checked and of those that broke it, and the first message."""

    name: str
    outcome: str
    breaches: int
    judged: int
    says: str = ""


class Part(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One strategy of a client, or one way of asking a coordinator: its promises, and other figures by heading."""

    name: str
    promises: list[Promise]
    measured: dict[str, str] = {}

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return max((one.judged for one in self.promises), default=0)

    @property
    def broken(self) -> list[Promise]:
        """The promises that it breaks, the most often broken first."""
        found = [one for one in self.promises if one.outcome == BROKEN]
        return sorted(found, key=lambda one: (-one.breaches, one.name))


class Judged(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The run of one release, and how it was made."""

    format: int
    kind: Kind
    name: str
    release: str
    date: str
    command: str
    parts: list[Part]


def part_of(name: str, verdicts: Iterable[Mapping[str, Any]]) -> Part:
    """Make a part of the verdicts that `kassay simulate --json` gives."""
    return Part(
        name,
        [
            Promise(one["property"], one["outcome"], one["breaches"], one["judged"], one["message"] if one["breaches"] else "")
            for one in verdicts
        ],
    )  # fmt: skip


def write_judged(folder: Path, run: Judged) -> None:
    """Write a run into its file, a line for each promise."""
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


def judged_in(folder: Path = PROTOCOL_RUNS) -> Sequence[Judged]:
    """Read the runs of a folder, clients first; raises InputError naming file and field, and where the format is another one."""
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
LEAD: Mapping[Kind, str] = {
    "client": "Of so many runs each promise held in so many; a column for each that somebody breaks. All others hold.",
    "leader": "Led through generated groups: in so many each promise held; a column for each that somebody breaks. All others hold. The rates are those of two cores on which others worked, too; who answers as "
    "Kafka may do so otherwise after the groups before, for sticky assignors remember.",
    "coordinator": "Members and faults of the simulation, at real brokers: of so many runs each promise held in so many. All others hold.",
}


def matrix(
    runs: Sequence[Judged],
) -> tuple[list[str], list[str], list[tuple[Judged, Part, list[Promise | None]]]]:
    """Return the headings of other figures, the promises that any part breaks, and each part of each run with these promises."""
    parts = [(run, part) for run in runs for part in run.parts]
    names = sorted({one.name for _, part in parts for one in part.broken})
    found = []
    for run, part in parts:
        of = {one.name: one for one in part.promises}
        found.append((run, part, [of.get(name) for name in names]))
    return list(dict.fromkeys(name for _, part in parts for name in part.measured)), names, found


def held(promise: Promise | None) -> str:
    """Return in how many of its runs a promise held, "-" if it was not checked."""
    if promise is None or not promise.judged:
        return "-"
    return f"{promise.judged - promise.breaches}/{promise.judged}"
