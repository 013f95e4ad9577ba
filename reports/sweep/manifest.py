"""A run: the settings of a sweep as ``run.json`` stores them, their validation, the paths of its files, and its groups.

A group's number leads to its cell and seed, and these to the group itself. An error in a worker that stops the whole sweep is
written so that the driver can find it in Spark's long error texts.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kassay.comparison.strategies import combine_families
from kassay.engine.promises import refuse_unknown
from kassay.errors import InputError
from kassay.families import family
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.files.output import write_whole
from kassay.files.writing import refuse_unregistered
from kassay.model.json_text import RepeatedKeyError, decode_json


def refuse_unfit(run: "Run", where: str) -> None:
    """Raise InputError with the place and the field if a sweep cannot have these settings: the file may have been changed."""
    try:
        _refuse(run, combine_families(run.family_names))
    except InputError as wrong:
        raise InputError(f"{where}: {wrong}. Name a folder that `kassay sweep -o` made.") from None


def _refuse(run: "Run", family_: Family) -> None:
    if not re.fullmatch(r"[0-9a-zA-Z]{1,64}", run.id):
        raise InputError(f"id: {run.id!r} is not a hash")
    if run.groups != len(run.seeds) * sum(cell.groups for cell in run.cells) or not all(
        cell.groups >= 0 for cell in run.cells
    ):
        raise InputError(f"groups: {run.groups} does not match the cells and seeds")
    if not 1 <= run.waves <= run.groups:
        raise InputError(f"waves: {run.waves} is out of range for {run.groups} groups")
    if not 0 < run.timeout_s < 2**31 or not 0 <= run.memory_mb < 2**31:
        raise InputError(f"timeout_s, memory_mb: {run.timeout_s} and {run.memory_mb} are out of range")
    if min(run.sample.laws, run.sample.rounds, run.sample.programs) < 0:
        raise InputError("sample: a number is below 0")
    if not run.names or len(set(run.names)) < len(run.names):
        raise InputError("targets: the list is empty, or a target is in it twice")
    if run.sizes != tuple(family_.shape.sizes):
        raise InputError(f"sizes: {', '.join(run.sizes)} do not match {run.family} groups")
    _refuse_unknown("measures", run.measures, family_.measures)
    _refuse_unknown(
        "levels", run.levels, (*family_.oracles.levels, *family_.oracles.weights) if family_.oracles else ()
    )
    for spec in run.targets:
        own = family(spec.family or run.family)
        _refuse_unknown("promises", spec.promises, own.properties)
        refuse_unknown(spec.except_in, own)
    for cell in run.cells:
        _refuse_cell(cell, family_)


def _refuse_cell(cell: "Cell", family_: Family) -> None:
    if cell.given and (cell.groups != len(cell.given) or cell.ranges or cell.mixes or cell.situations):
        raise InputError(f"cell {cell.name!r}: does not match its {len(cell.given)} given groups")
    _refuse_unknown("situations", cell.situations, family_.situations)
    sampler = family_.shape.sampler
    if sampler is None:
        return
    _refuse_unknown("ranges", cell.ranges, sampler.numbers)
    _refuse_unknown("mixes", cell.mixes, sampler.kinds)
    for key, (low, high) in cell.ranges.items():
        least, greatest = sampler.numbers[key]
        if not least <= low <= high <= greatest:
            raise InputError(
                f"ranges: {key} is {low} to {high}, which is empty or not within {least} to {greatest}. Give a range in these limits"
            )
    for kind, weights in cell.mixes.items():
        _refuse_unknown(f"mixes: {kind}", weights, sampler.kinds[kind])
        if min(weights.values(), default=0) < 0 or not any(weights.values()):
            raise InputError(f"mixes: {kind} has weights below 0, or only zeros")


def _refuse_unknown(field: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"{field}: there is no {name!r}")


FORMAT = 5
"""The version of the folder's layout and of the meaning of its rows; a reader refuses any other."""


NOTE = "_parts.json"
"""The file next to a wave's rows that lists its parts, see :class:`.folder.Part`."""


class Cell(msgspec.Struct, frozen=True):
    """A cell of the grid: groups of one kind, and what they are generated from."""

    name: str
    groups: int
    """The number of groups for each seed."""
    ranges: dict[str, tuple[int, int]]
    """The least and the greatest value of each number."""
    mixes: dict[str, dict[str, int]]
    """The weight of each kind."""
    situations: tuple[str, ...] = ()
    """The situations that all groups must be in."""
    given: tuple[str, ...] = ()
    """The JSON of each group, if they are not generated."""


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sampling rates of slow checks: one of `n` groups of a cell; 0: no group."""

    laws: int = 20
    rounds: int = 20
    programs: int = 500


class TargetSpec(msgspec.Struct, frozen=True):
    """A target of the run, and the promises it is checked against, see :func:`kassay.engine.promises.build_promises`."""

    target: str
    promises: tuple[str, ...]
    except_in: dict[str, tuple[str, ...]] = {}
    family: str = ""
    """Its family, if it is not the run's."""
    limits: tuple[str, ...] = ()
    """The promises whose exceptions are design limits, not known defects."""


class Run(msgspec.Struct, frozen=True):
    """Everything that a sweep's rows depend on, with the machine and the time of its start."""

    format: int
    id: str
    """Hash of grid and code."""
    code: str
    """Hash of kassay's code and of the known files of the targets."""
    kassay: str
    grid: str
    """The grid file's text."""
    family: str
    targets: tuple[TargetSpec, ...]
    sizes: tuple[str, ...]
    """The sizes of a group, from the family's shape; the time of an answer grows mostly with the last."""
    measures: tuple[str, ...]
    levels: tuple[str, ...]
    """Objectives that are compared with the exact optimum, by the names of the family's oracles (``cross-rack``)."""
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    sample: Sample
    groups: int
    """The total number: every cell's groups for every seed."""
    waves: int
    timeout_s: float
    memory_mb: int
    versions: dict[str, str]
    machine: dict[str, str]
    started: str
    """Date and time, UTC."""
    rows: str = ""
    """The address of the rows, if they are not in the folder, such as ``s3a://BUCKET/PREFIX``; Spark needs a connector for it."""

    @property
    def names(self) -> list[str]:
        """The names of the targets."""
        return [spec.target for spec in self.targets]

    @property
    def families(self) -> dict[str, str]:
        """Target -> the name of its family."""
        return {spec.target: spec.family or self.family for spec in self.targets}

    @property
    def family_names(self) -> list[str]:
        """The run's family, then the other families of targets."""
        return list(dict.fromkeys([self.family, *self.families.values()]))


def find_family(run: Run) -> Family:
    """Return what the families of a run's groups and of all its targets have in common."""
    return combine_families(run.family_names)


def find_own_families(run: Run) -> dict[str, Family]:
    """Return the family of each target, whose properties it is checked against."""
    return {target: family(name) for target, name in run.families.items()}


def read_run(folder: Path, *, trust: bool = False) -> Run:
    """Read the settings of a sweep; raises InputError if the folder is not a sweep, or has another format.

    An unregistered family is imported only with `trust`, since a file names it.
    """
    path = folder / "run.json"
    try:
        text = path.read_bytes()
        format_ = decode_json(text, dict[str, object]).get("format")
        if isinstance(format_, int) and format_ != FORMAT:
            newer = format_ > FORMAT
            age, fix = (
                ("a newer", "Upgrade kassay.") if newer else ("an older", "Sweep again, into a new folder.")
            )
            raise InputError(f"{folder}: was written by {age} kassay (format {format_}). {fix}")
        run = decode_json(text, Run)
        for name in run.family_names:
            refuse_unregistered(f"{path}: family", name, trust=trust)
        refuse_unfit(run, str(path))
        return run  # noqa: TRY300 - all errors are handled below
    except RepeatedKeyError as twice:
        raise InputError(f"{path}: {twice}") from None
    except OSError:
        fix = "Name a folder that `kassay sweep -o` made."
        raise InputError(f"{folder}: is not a sweep, it has no run.json. {fix}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        fix = "Name a folder that `kassay sweep -o` made."
        raise InputError(f"{path}: is not the run.json of a sweep ({wrong}). {fix}") from None


def write_run(folder: Path, run: Run) -> None:
    """Write the settings, completely or not at all."""
    write_whole(folder / "run.json", msgspec.json.format(msgspec.json.encode(run), indent=1).decode() + "\n")


def wave_folder(folder: Path, run: Run, wave: int) -> Path:
    """Return the folder of a wave's list of parts, and of its rows if they are stored in the folder."""
    return folder / "waves" / f"run={run.id}" / f"wave={wave:05}"


def wave_rows(folder: Path, run: Run, wave: int) -> str:
    """Return the address of a wave's rows for Spark."""
    return f"{run.rows}/run={run.id}/wave={wave:05}" if run.rows else str(wave_folder(folder, run, wave))


def complete_waves(folder: Path, run: Run) -> list[int]:
    """Return the complete waves: they have a list of their parts and, if their rows are in the folder, Spark's ``_SUCCESS``."""
    names = (NOTE,) if run.rows else ("_SUCCESS", NOTE)
    return [
        wave
        for wave in range(run.waves)
        if all((wave_folder(folder, run, wave) / name).exists() for name in names)
    ]


_MARK = "kassay-stop "
_FOUND = re.compile(re.escape(_MARK) + r"(\{.*\})")


class Stop(msgspec.Struct, frozen=True):
    """The reason why a sweep stops, ``disagreement`` of two oracles on a group or wrong ``input``, and the message."""

    kind: str
    said: str
    group: Any = None


class StopError(Exception):
    """Raised in a worker; its text has the reason as one line of JSON, which passes through Spark."""

    def __init__(self, stop: Stop) -> None:
        """Encode the reason."""
        super().__init__(_MARK + msgspec.json.encode(stop).decode())


def stop_in(text: str) -> Stop | None:
    """Return the reason in the text of an error, or None if it has none."""
    for found in _FOUND.finditer(text):
        try:
            return msgspec.json.decode(found[1], type=Stop)
        except msgspec.MsgspecError:
            continue
    return None


TRIES = 1000
"""The largest number of groups that are generated until one is in the situations of a cell."""


class Place(NamedTuple):
    """The location of a group in the grid: its id, cell, number among the cell's groups of one root seed, and own seed."""

    id: int
    cell: int
    number: int
    seed: int


def iterate_groups(run: Run, wave: int, task: int = 0, tasks: int = 1) -> Iterator[Place]:
    """Yield the groups of a wave that one of several tasks evaluates.

    Ids count through the cells of each seed. A wave takes every `waves`-th id and a task every `tasks`-th id of the wave, so that
    all have groups of every cell. The number of tasks changes no row.
    """
    for id_ in range(wave + run.waves * task, run.groups, run.waves * tasks):
        yield locate_group(run, id_)


def locate_group(run: Run, id_: int) -> Place:
    """Return the location of a group."""
    ends = list(accumulate(cell.groups for cell in run.cells))
    root, number = divmod(id_, ends[-1])
    cell = bisect_right(ends, number)
    number -= ends[cell] - run.cells[cell].groups
    return Place(id_, cell, number, seed_of(run.seeds[root], run.cells[cell], number))


def seed_of(root: int, cell: Cell, number: int) -> int:
    """Return the seed of a cell's group: a hash of 63 bits of the root seed, the cell's name and the number.

    A given group has its number.
    """
    if cell.given:
        return number
    return _hash(f"{root}/{cell.name}/{number}")


def is_sampled(run: Run, at: Place, every: int) -> bool:
    """Return True if a group is in the sample: one of each `every` groups of its cell, picked by hash; no group for 0.

    One of a cell's last groups is picked as well, though they may be fewer.
    """
    if not every:
        return False
    cell = run.cells[at.cell]
    block, within = divmod(at.number, every)
    return within == _pick(cell, every, block)


def sample_size(run: Run, waves: Sequence[int], every: int) -> int:
    """Count the groups of some waves that are in the sample."""
    each, wanted, start, size = sum(cell.groups for cell in run.cells), set(waves), 0, 0
    for cell in run.cells if every else ():
        for block in range(-(-cell.groups // every)):
            number = start + block * every + _pick(cell, every, block)
            size += sum((root * each + number) % run.waves in wanted for root in range(len(run.seeds)))
        start += cell.groups
    return size


def _pick(cell: Cell, every: int, block: int) -> int:
    return _hash(f"{cell.name}/{every}/{block}") % min(every, cell.groups - block * every)


@dataclass(frozen=True, slots=True)
class GivenGroup:
    """The timeline of a given group: nothing changes it."""

    group: Any


def draw_timeline(family_: Family, cell: Cell, seed: int) -> Any:
    """Return the timeline of a seed.

    Raises InputError if TRIES groups are refused or not in the situations of the cell, or if a given group is refused.
    """
    if cell.given:
        group = family_.shape.read_group(msgspec.json.decode(cell.given[seed]))
        if (said := family_.refused(group)) is not None:
            raise InputError(f"cell {cell.name!r}, group {seed + 1}: {said}")
        return GivenGroup(group)
    assert family_.shape.sampler is not None
    holds = [family_.situations[name] for name in cell.situations]
    for attempt in range(TRIES):
        used = _hash(f"{seed}/{attempt}") if attempt else seed
        timeline = family_.shape.sampler.draw(cell.ranges, cell.mixes, used)
        group = start_timeline(family_, timeline)
        said = family_.refused(group)
        if said is None and all(hold(group) for hold in holds):
            return timeline
    raise InputError(
        f"cell {cell.name!r}: none of {TRIES} groups is in the situations {', '.join(cell.situations)}. "
        "Widen its ranges, or ask for fewer situations."
        if said is None
        else f"cell {cell.name!r}: no group of {TRIES} suits all targets. The last one: {said}"
    )


def start_timeline(family_: Family, timeline: Any) -> Any:
    """Return the group that a timeline starts with."""

    def refuse(_: Any) -> Any:
        raise AssertionError("the first group needs no answer")

    return next(play_timeline(family_, refuse, timeline))


def play_timeline(family_: Family, assign: Assign, timeline: Any) -> Iterator[Any]:
    """Yield the complete group of each step of a timeline, which the assignor plays."""
    if isinstance(timeline, GivenGroup):
        yield timeline.group
    else:
        yield from family_.shape.play(assign, timeline)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
