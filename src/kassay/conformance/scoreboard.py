"""The scoreboard: what released clients keep of the fixtures, by assignor and kind of check, from stored runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kassay.conformance.case import Fixtures
from kassay.conformance.making import size_of
from kassay.conformance.stored import Failed, OfAssignor, Stored

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
        """Return the figure, or that there is none."""
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
        """Say whether it is right about every group that it was asked about."""
        return not self.cells["right"].failed


def rows(runs: Sequence[Stored], fixtures: Fixtures) -> list[Row]:
    """Count what each assignor of each run keeps."""
    sizes = {case.id: size_of(case.group, fixtures.form) for case in fixtures.cases}
    return [Row(run, one.name, dict(_cells(one, sizes))) for run in runs for one in run.assignors]


def _cells(one: OfAssignor, sizes: Mapping[str, int]) -> Iterator[tuple[str, Cell]]:
    for column, (_, checks) in COLUMNS.items():
        failed = sorted((each for each in one.failed if each.check in checks), key=lambda each: (sizes.get(each.case, 0), each.case))  # fmt: skip
        kept = set().union(*(one.cases(check) for check in checks))
        wrong = {int(each.case.rpartition("-")[2]) for each in failed}
        yield column, Cell(len(kept | wrong), failed)


def newest(every: Sequence[Row]) -> list[Row]:
    """Return the rows of the newest release of each library."""
    last = {row.run.library: row.run.order for row in sorted(every, key=lambda row: row.run.order)}
    return [row for row in every if row.run.order == last[row.run.library]]


def headline(shown: Sequence[Row]) -> str:
    """Say what holds of the newest releases."""
    right = [row for row in shown if row.right]
    clean = [row for row in shown if not any(cell.failed for cell in row.cells.values())]
    said = f"{len(right)} of {len(shown)} assignors of {len({row.run.library for row in shown})} clients are right about every group that they can be asked about"
    if not clean:
        return f"{said}; none passes all checks."
    return f"{said}; {_listed([row.name for row in clean])} pass{'es' * (len(clean) == 1)} all checks."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
