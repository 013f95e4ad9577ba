"""A run: the settings of a sweep as ``run.json`` in its folder keeps them, and where its files are.

Whether the settings of a run fit together and to its family: those that stand in a folder may have been changed.

Which groups a run has: from a group's number to its cell and seed, and from these to the group itself.

What stops a whole sweep from inside a worker, and how the driver reads it out of Spark's long error texts.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kassay.comparison.strategies import across
from kassay.engine.promises import refuse_unknown
from kassay.errors import InputError
from kassay.families import family
from kassay.family import Family
from kassay.files.output import write_whole
from kassay.files.writing import refuse_unregistered
from kassay.model.json_text import RepeatedKeyError, decoded


def refuse_unfit(run: "Run", where: str) -> None:
    """Raise InputError, naming where they stand and the field, if settings cannot be those of a sweep."""
    try:
        _refuse(run, across(run.family_names))
    except InputError as wrong:
        raise InputError(f"{where}: {wrong}; name a folder that `kassay sweep -o` made") from None


def _refuse(run: "Run", family_: Family) -> None:
    if not re.fullmatch(r"[0-9a-zA-Z]{1,64}", run.id):
        raise InputError(f"id: {run.id!r} is no hash")
    if run.groups != len(run.seeds) * sum(cell.groups for cell in run.cells) or not all(
        cell.groups >= 0 for cell in run.cells
    ):
        raise InputError(f"groups: {run.groups} are not those of its cells and seeds")
    if not 1 <= run.waves <= run.groups:
        raise InputError(f"waves: {run.waves} are none for {run.groups} groups")
    if not 0 < run.timeout_s < 2**31 or not 0 <= run.memory_mb < 2**31:
        raise InputError(f"timeout_s, memory_mb: {run.timeout_s} and {run.memory_mb} are no limits")
    if min(run.sample.laws, run.sample.rounds, run.sample.programs) < 0:
        raise InputError("sample: is below 0")
    if not run.names or len(set(run.names)) < len(run.names):
        raise InputError("targets: there are none, or one twice")
    if run.sizes != tuple(family_.shape.sizes):
        raise InputError(f"sizes: {', '.join(run.sizes)} are not those of {run.family} groups")
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
    _refuse_unknown("situations", cell.situations, family_.situations)
    sampler = family_.shape.sampler
    if sampler is None:
        return
    _refuse_unknown("ranges", cell.ranges, sampler.numbers)
    _refuse_unknown("mixes", cell.mixes, sampler.kinds)
    for key, (low, high) in cell.ranges.items():
        least, greatest = sampler.numbers[key]
        if not least <= low <= high <= greatest:
            raise InputError(f"ranges: {key} is {low} to {high}, beyond {least} to {greatest}, or empty")
    for kind, weights in cell.mixes.items():
        _refuse_unknown(f"mixes: {kind}", weights, sampler.kinds[kind])
        if min(weights.values(), default=0) < 0 or not any(weights.values()):
            raise InputError(f"mixes: {kind} has weights below 0, or none above")


def _refuse_unknown(field: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"{field}: there is no {name!r}")


FORMAT = 5
"""The version of the folder's layout and of the meaning of its rows; a reader refuses any other."""


NOTE = "_parts.json"
"""Beside a wave's rows: what :mod:`.wave_parts` notes of them."""


class Cell(msgspec.Struct, frozen=True):
    """A cell of the grid: how many groups of a kind there are for each seed, and what they are drawn from.

    `ranges` are the least and the greatest value of each number, `mixes` the weight of each kind; `situations` must hold.
    """

    name: str
    groups: int
    ranges: dict[str, tuple[int, int]]
    mixes: dict[str, dict[str, int]]
    situations: tuple[str, ...] = ()


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of how many groups of a cell one is tried further: by laws, for rounds, with a linear program; 0: none."""

    laws: int = 20
    rounds: int = 20
    programs: int = 500


class TargetSpec(msgspec.Struct, frozen=True):
    """A target of the run: how it is opened, and what it is held to, as :func:`kassay.engine.promises.held` says.

    `family` is its own where that is not the run's.
    """

    target: str
    promises: tuple[str, ...]
    except_in: dict[str, tuple[str, ...]] = {}
    family: str = ""
    limits: tuple[str, ...] = ()
    """The promises whose exceptions are limits, not known defects."""


class Run(msgspec.Struct, frozen=True):
    """Everything that a sweep's rows depend on, and where and when it was started."""

    format: int
    id: str
    """Hash of grid and code."""
    code: str
    """Hash of kassay's own code and of what the targets run, as far as it is known."""
    kassay: str
    grid: str
    """The grid file's text."""
    family: str
    targets: tuple[TargetSpec, ...]
    sizes: tuple[str, ...]
    """What is counted in a group, as the family's shape says; the last is what answers take longer for."""
    measures: tuple[str, ...]
    levels: tuple[str, ...]
    """Levels compared with the exact optimum, as the family's oracles call them (``cross-rack``)."""
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    sample: Sample
    groups: int
    """How many there are in all: every cell's for every seed."""
    waves: int
    timeout_s: float
    memory_mb: int
    versions: dict[str, str]
    machine: dict[str, str]
    started: str
    """Date and time, UTC."""
    rows: str = ""
    """Where the rows are, if not in the folder: an address that Spark has a connector for, such as ``s3a://BUCKET/PREFIX``."""

    @property
    def names(self) -> list[str]:
        """The targets' names."""
        return [spec.target for spec in self.targets]

    @property
    def families(self) -> dict[str, str]:
        """Target -> the name of its family."""
        return {spec.target: spec.family or self.family for spec in self.targets}

    @property
    def family_names(self) -> list[str]:
        """The run's family, then those that other targets are of."""
        return list(dict.fromkeys([self.family, *self.families.values()]))


def find_family(run: Run) -> Family:
    """Return the family of a run's groups with what it has in common with those of all targets, as `across` says."""
    return across(run.family_names)


def find_own_families(run: Run) -> dict[str, Family]:
    """Return the family of each target, by which it is judged."""
    return {target: family(name) for target, name in run.families.items()}


def read_run(folder: Path, *, trust: bool = False) -> Run:
    """Read the settings of a sweep; raises InputError where the folder is no sweep's, or of another format.

    A family that is not registered is imported only with `trust`, for it is a file that names it.
    """
    path = folder / "run.json"
    try:
        text = path.read_bytes()
        format_ = decoded(text, dict[str, object]).get("format")
        if isinstance(format_, int) and format_ != FORMAT:
            age, fix = (
                ("a newer", "install that one")
                if format_ > FORMAT
                else ("an older", "sweep again, into a new folder")
            )
            raise InputError(f"{folder}: was written by {age} kassay (format {format_}); {fix}")
        run = decoded(text, Run)
        for name in run.family_names:
            refuse_unregistered(f"{path}: family", name, trust=trust)
        refuse_unfit(run, str(path))
        return run  # noqa: TRY300 - what is raised here is said below
    except RepeatedKeyError as twice:
        raise InputError(f"{path}: {twice}") from None
    except OSError:
        raise InputError(
            f"{folder}: is no sweep, it has no run.json; name a folder that `kassay sweep -o` made"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise InputError(
            f"{path}: is no sweep's run.json ({wrong}); name a folder that `kassay sweep -o` made"
        ) from None


def write_run(folder: Path, run: Run) -> None:
    """Write the settings, whole or not at all."""
    write_whole(folder / "run.json", msgspec.json.format(msgspec.json.encode(run), indent=1).decode() + "\n")


def wave_folder(folder: Path, run: Run, wave: int) -> Path:
    """Return where a wave's note is, and its rows where they are in the folder."""
    return folder / "waves" / f"run={run.id}" / f"wave={wave:05}"


def wave_rows(folder: Path, run: Run, wave: int) -> str:
    """Return where a wave's rows are, as Spark takes it."""
    return f"{run.rows}/run={run.id}/wave={wave:05}" if run.rows else str(wave_folder(folder, run, wave))


def complete_waves(folder: Path, run: Run) -> list[int]:
    """Return the waves whose rows are all there: those with a note of their parts and, in the folder, Spark's ``_SUCCESS``."""
    names = (NOTE,) if run.rows else ("_SUCCESS", NOTE)
    return [
        wave
        for wave in range(run.waves)
        if all((wave_folder(folder, run, wave) / name).exists() for name in names)
    ]


_MARK = "kassay-stop "
_FOUND = re.compile(re.escape(_MARK) + r"(\{.*\})")


class Stop(msgspec.Struct, frozen=True):
    """Why a sweep stops: ``disagreement`` of two oracles on a group, or wrong ``input``; and what is to be said."""

    kind: str
    said: str
    group: Any = None


class StopError(Exception):
    """Raised in a worker; carries its reason through Spark as one line of JSON."""

    def __init__(self, stop: Stop) -> None:
        """Write the reason down."""
        super().__init__(_MARK + msgspec.json.encode(stop).decode())


def stop_in(text: str) -> Stop | None:
    """Find the reason in the text of an error; None where it is another one's."""
    for found in _FOUND.finditer(text):
        try:
            return msgspec.json.decode(found[1], type=Stop)
        except msgspec.MsgspecError:
            continue
    return None


TRIES = 1000
"""How many groups are drawn at most until one is in the situations that a cell asks for."""


class Place(NamedTuple):
    """Where a group stands in the grid: its number, cell, place among the cell's groups of one root seed, and own seed."""

    id: int
    cell: int
    number: int
    seed: int


def places(run: Run, wave: int, task: int = 0, tasks: int = 1) -> Iterator[Place]:
    """Yield the groups of a wave that one of several tasks judges.

    Ids run through the seeds, each through its cells. A wave takes every `waves`-th id and a task every `tasks`-th of
    these, so that all have some of every cell; how many tasks there are changes no row.
    """
    for id_ in range(wave + run.waves * task, run.groups, run.waves * tasks):
        yield place(run, id_)


def place(run: Run, id_: int) -> Place:
    """Return where a group stands."""
    ends = list(accumulate(cell.groups for cell in run.cells))
    root, number = divmod(id_, ends[-1])
    cell = bisect_right(ends, number)
    number -= ends[cell] - run.cells[cell].groups
    return Place(id_, cell, number, seed_of(run.seeds[root], run.cells[cell], number))


def seed_of(root: int, cell: Cell, number: int) -> int:
    """Return the seed of a cell's group: 63 bits that follow from the root seed, the cell's name and the number."""
    return _hash(f"{root}/{cell.name}/{number}")


def is_sampled(run: Run, at: Place, every: int) -> bool:
    """Say whether a group is one of those tried further: one of each `every` groups of its cell, picked by hash; none for 0.

    Of a cell's last groups, which may be fewer, one is picked as well.
    """
    if not every:
        return False
    cell = run.cells[at.cell]
    block, within = divmod(at.number, every)
    return within == _pick(cell, every, block)


def sample_size(run: Run, waves: Sequence[int], every: int) -> int:
    """Count the groups of some waves that are tried further."""
    each, wanted, start, size = sum(cell.groups for cell in run.cells), set(waves), 0, 0
    for cell in run.cells if every else ():
        for block in range(-(-cell.groups // every)):
            number = start + block * every + _pick(cell, every, block)
            size += sum((root * each + number) % run.waves in wanted for root in range(len(run.seeds)))
        start += cell.groups
    return size


def _pick(cell: Cell, every: int, block: int) -> int:
    return _hash(f"{cell.name}/{every}/{block}") % min(every, cell.groups - block * every)


def drawn(family_: Family, cell: Cell, seed: int) -> Any:
    """Draw the timeline of a seed; raises InputError where TRIES groups are not in the situations asked for, or refused."""
    assert family_.shape.sampler is not None
    holds = [family_.situations[name] for name in cell.situations]
    for attempt in range(TRIES):
        used = _hash(f"{seed}/{attempt}") if attempt else seed
        timeline = family_.shape.sampler.draw(cell.ranges, cell.mixes, used)
        group = first_group(family_, timeline)
        said = family_.refused(group)
        if said is None and all(hold(group) for hold in holds):
            return timeline
    raise InputError(
        f"cell {cell.name!r}: none of {TRIES} groups is in the situations {', '.join(cell.situations)}; "
        "widen its ranges, or ask for fewer"
        if said is None
        else f"cell {cell.name!r}: none of {TRIES} groups suits all targets; of the last one: {said}"
    )


def first_group(family_: Family, timeline: Any) -> Any:
    """Return the group that a timeline starts with."""
    return next(family_.shape.play(_nobody, timeline))


def _nobody(_: Any) -> Any:
    """Answer nothing: the first group of a timeline comes before any answer."""
    raise AssertionError("the first group needs no answer")


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
