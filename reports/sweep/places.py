"""Which groups a run has: from a group's number to its cell and seed, and from these to the group itself.

What stops a whole sweep from inside a worker, and how the driver reads it out of Spark's long error texts.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from kassay.errors import InputError
from kassay.family import Family
from kassay.reports.sweep.manifest import Cell, Run

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
    return _hashed(f"{root}/{cell.name}/{number}")


def sampled(run: Run, at: Place, every: int) -> bool:
    """Say whether a group is one of those tried further: one of each `every` groups of its cell, picked by hash; none for 0.

    Of a cell's last groups, which may be fewer, one is picked as well.
    """
    if not every:
        return False
    cell = run.cells[at.cell]
    block, within = divmod(at.number, every)
    return within == _picked(cell, every, block)


def sample_size(run: Run, waves: Sequence[int], every: int) -> int:
    """Count the groups of some waves that are tried further."""
    each, wanted, start, size = sum(cell.groups for cell in run.cells), set(waves), 0, 0
    for cell in run.cells if every else ():
        for block in range(-(-cell.groups // every)):
            number = start + block * every + _picked(cell, every, block)
            size += sum((root * each + number) % run.waves in wanted for root in range(len(run.seeds)))
        start += cell.groups
    return size


def _picked(cell: Cell, every: int, block: int) -> int:
    return _hashed(f"{cell.name}/{every}/{block}") % min(every, cell.groups - block * every)


def drawn(family_: Family, cell: Cell, seed: int) -> Any:
    """Draw the timeline of a seed; raises InputError where TRIES groups are not in the situations asked for, or refused."""
    assert family_.shape.sampler is not None
    holds = [family_.situations[name] for name in cell.situations]
    for attempt in range(TRIES):
        used = _hashed(f"{seed}/{attempt}") if attempt else seed
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


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
