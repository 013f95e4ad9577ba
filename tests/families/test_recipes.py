"""Who leaves out a step of CONTRIBUTING's recipes is told in a sentence what is missing: what is written has its line in a table."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

import kassay
from kassay import families, properties, reference
from kassay.families import FAMILIES, family
from kassay.family import Family
from kassay.model import Assignor
from kassay.reference import ASSIGNORS
from kassay.simulation import faults
from kassay.simulation.judging import coordination, invariants
from kassay.simulation.search.verdicts import INVARIANTS

ANSWERS, GROUPS = {"assignment", "answer"}, {"group", "application", "cluster"}
TABLES = {
    "invariants": ("INVARIANTS", lambda takes: takes[0] in GROUPS and takes[1] in ANSWERS),
    "laws": ("LAWS", lambda takes: takes[0] == "assign" and takes[1] in GROUPS),
    "situations": ("SITUATIONS", lambda takes: takes[0] in GROUPS and not takes[1]),
}
"""Chapter -> the table that names its functions, and whether a function with these parameters is one of them, not a helper."""


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield all modules of a package."""
    for found in walk_packages(package.__path__, f"{package.__name__}."):
        yield import_module(found.name)


def file_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).relative_to(Path(kassay.__file__).parent).as_posix()


def without_a_line(chapter: str, module: ModuleType, known: set[Any]) -> list[str]:
    """Return the names of the functions of a module of a chapter that no family's table has; what counts is a measure."""
    _, is_one = TABLES[chapter]
    own = {name: one for name, one in vars(module).items() if inspect.isfunction(one) and name[0] != "_"}
    return [
        name
        for name, one in own.items()
        if one.__module__ == module.__name__
        and one not in known
        and inspect.signature(one).return_annotation is not int
        and is_one([*inspect.signature(one).parameters, "", ""])
    ]


@pytest.mark.parametrize("chapter", TABLES)
def test_what_judges_has_its_line(chapter):
    known = {one for name in FAMILIES for one in getattr(family(name), chapter).values()}
    for module in modules(properties):
        if chapter in module.__name__.split("."):
            for name in without_a_line(chapter, module, known):
                raise AssertionError(
                    f"{file_of(module)}: {name} has no line; add it to {TABLES[chapter][0]} in properties/FAMILY.py"
                )


def test_an_assignor_has_its_line():
    for module in modules(reference):
        for one in vars(module).values():
            if isinstance(one, Assignor):
                assert one.name in ASSIGNORS, (
                    f"{file_of(module)}: {one.name} has no line; add it to ASSIGNORS in reference/__init__.py"
                )


def test_an_assignor_promises_what_there_is():
    for name, one in ASSIGNORS.items():
        unknown = {*one.promises, *one.except_in} - family(one.family).properties.keys()
        assert not unknown, (
            f"{name} promises {sorted(unknown)}, which {one.family} groups do not know; see `kassay list promises`"
        )
        stray = one.except_in.keys() - one.promises
        assert not stray, f"{name}: has exceptions for {sorted(stray)}; add these to its promises"


def test_a_fault_and_an_invariant_of_the_group_protocol_have_their_lines():
    begun = {kind.begin for kind in faults.FAULTS.values()}
    judged = {*INVARIANTS.values()}
    for module, known, where, is_one in (
        (faults, begun, "FAULTS", lambda of: [*of.parameters] == ["world", "fault"]),
        (invariants, judged, "SAFETY or LIVENESS", lambda of: of.return_annotation == (str | None)),
        (coordination, judged, "STEPS", lambda of: of.return_annotation == (str | None)),
    ):
        for name, one in vars(module).items():
            if inspect.isfunction(one) and one.__module__ == module.__name__ and name[0] != "_":
                listed = one in known or not is_one(inspect.signature(one))
                assert listed, f"{file_of(module)}: {name} has no line; add it to {where}"


def test_a_family_has_its_line():
    for module in modules(families):
        for one in vars(module).values():
            if isinstance(one, Family):
                assert one.name in FAMILIES, (
                    f"{file_of(module)}: {one.name} has no line; add it to FAMILIES in src/kassay/families/__init__.py"
                )


def test_a_function_without_its_line_is_found():
    chapter = ModuleType("kassay.properties.partitions.invariants.new")

    def fair(group, assignment):
        yield from (group, assignment)

    def helper(held):
        return held

    for one in (fair, helper):
        one.__module__ = chapter.__name__
        setattr(chapter, one.__name__, one)
    assert without_a_line("invariants", chapter, set()) == ["fair"]
    assert without_a_line("invariants", chapter, {fair}) == []
