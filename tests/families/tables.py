"""What a family brings to the tests: its mutants, honest assignors and example groups."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from kassay.engine.generate import draw_examples
from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError


class Mutant(NamedTuple):
    """A broken assignor and the properties that it must be seen to break."""

    assign: Assign
    breaks: frozenset[str]


class Honest(NamedTuple):
    """An assignor and the properties that it keeps."""

    assign: Assign
    keeps: frozenset[str]


def mutants_of(*table: tuple[Assign, str]) -> dict[str, Mutant]:
    """Return mutants by their names, each with the properties that it breaks."""
    return {assign.__name__: Mutant(assign, frozenset(breaks.split())) for assign, breaks in table}


@dataclass(frozen=True)
class Tables:
    """What one family brings: the module `families.NAME` has it as TABLES.

    `situations` has groups for each situation, and `plain` is a group in none but `situations_of_plain`. `minimised` are
    predicates beside the situations and the mutants, and `thoroughly` those minimised from more seeds; `size` is what all
    smallest groups of a predicate agree in. `not_generated` are situations that its groups come into only when they are given.
    """

    mutants: Mapping[str, Mutant]
    honest: Mapping[str, Honest]
    situations: Mapping[str, Sequence[Any]]
    plain: Any
    situations_of_plain: Collection[str]
    minimised: Mapping[str, Callable[[Any], bool]]
    thoroughly: Collection[str]
    size: Callable[[Any], Any]
    not_generated: Collection[str] = ()


def _module(name: str) -> str:
    return f"families.{name.replace('-', '_')}"


WITH_TABLES = [name for name in FAMILIES if find_spec(_module(name))]
"""The families that bring tables; test_every_family fails for the others."""
FIRST_OF_SITUATIONS = [
    name
    for n, name in enumerate(FAMILIES)
    if all(
        (family(o).shape, family(o).situations) != (family(name).shape, family(name).situations)
        for o in [*FAMILIES][:n]
    )
]
"""The families whose groups and situations are those of none before them."""


def tables(name: str) -> Tables:
    """Return what a family brings; fails with what to add where it brings nothing."""
    assert name in WITH_TABLES, f"add tests/families/{name}.py with TABLES, a families.tables.Tables"
    found = import_module(_module(name)).TABLES
    assert isinstance(found, Tables), f"TABLES in tests/families/{name}.py is no families.tables.Tables"
    return found


def each(parts: Callable[[Family], Collection[str]]) -> list[tuple[str, str]]:
    """Return the names of all families, each with all names of a part of it."""
    return [(name, part) for name in FAMILIES for part in parts(family(name))]


def each_table(parts: Callable[[Tables], Collection[str]]) -> list[tuple[str, str]]:
    """Return the names of all families that bring tables, each with all names of a part of these."""
    return [(name, part) for name in WITH_TABLES for part in parts(tables(name))]


def one_for_each(properties: Collection[str], mutants: Mapping[str, Mutant]) -> dict[str, Mutant]:
    """Return, of another family's mutants, one that breaks each property; test_every_family.py tells of those that none breaks."""
    chosen: dict[str, Mutant] = {}
    for property_ in sorted(properties):
        for title, mutant in mutants.items():
            if property_ in mutant.breaks:
                chosen[title] = Mutant(mutant.assign, mutant.breaks & frozenset(properties))
                break
    return chosen


@cache
def generated(name: str, number: int, seed: int) -> list[Any]:
    """Return groups of a family, drawn once for all tests."""
    return draw_examples(family(name).shape.groups(), number, seed)


def violation(name: str, assign: Assign, broken: str, group: Any) -> str | None:
    """Say how an assignor of a family breaks a property on a group; None where it keeps it, or fails."""
    invariants, laws = family(name).invariants, family(name).laws
    try:
        said = (
            invariants[broken](group, assign(group)) if broken in invariants else laws[broken](assign, group)
        )
        return next(said, None)
    except AssignorError:
        return None


def breaking(name: str, *broken: str) -> dict[str, Callable[[Any], bool]]:
    """Return what says of a group whether one of Kafka's assignors of a family breaks a property on it, for each ``sticky balanced``."""

    def one(said: str) -> Callable[[Any], bool]:
        assignor, property_ = said.split()
        assign = ASSIGNORS[f"{name}/{assignor}"].assign
        return lambda group: violation(name, assign, property_, group) is not None

    return {said: one(said) for said in broken}
