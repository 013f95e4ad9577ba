"""Stored runs over the wire: the promises that released clients and coordinators keep, with the day and the command of each run."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

import kassay
from kassay.conformance.case import read_record, refuse_other_format
from kassay.output.block import BROKEN

RUNS = Path(kassay.__file__).parent / "conformance" / "judged"
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


def judged_in(folder: Path = RUNS) -> Sequence[Judged]:
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
