"""Whether the settings of a run fit together and to its family: those that stand in a folder may have been changed."""

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from kassay.comparison.across import across
from kassay.engine.except_in import refuse_unknown
from kassay.errors import InputError
from kassay.families import family
from kassay.family import Family

if TYPE_CHECKING:
    from kassay.reports.sweep.manifest import Cell, Run


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
    _known("measures", run.measures, family_.measures)
    _known("levels", run.levels, family_.oracles.levels if family_.oracles else ())
    for spec in run.targets:
        own = family(spec.family or run.family)
        _known("promises", spec.promises, own.properties)
        refuse_unknown(spec.except_in, own)
    for cell in run.cells:
        _refuse_cell(cell, family_)


def _refuse_cell(cell: "Cell", family_: Family) -> None:
    _known("situations", cell.situations, family_.situations)
    sampler = family_.shape.sampler
    if sampler is None:
        return
    _known("ranges", cell.ranges, sampler.numbers)
    _known("mixes", cell.mixes, sampler.kinds)
    for key, (low, high) in cell.ranges.items():
        least, greatest = sampler.numbers[key]
        if not least <= low <= high <= greatest:
            raise InputError(f"ranges: {key} is {low} to {high}, beyond {least} to {greatest}, or empty")
    for kind, weights in cell.mixes.items():
        _known(f"mixes: {kind}", weights, sampler.kinds[kind])
        if min(weights.values(), default=0) < 0 or not any(weights.values()):
            raise InputError(f"mixes: {kind} has weights below 0, or none above")


def _known(field: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"{field}: there is no {name!r}")
