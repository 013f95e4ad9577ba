"""Who leaves out a step of CONTRIBUTING's recipes is told in a sentence what is missing: what is written has its line in a table."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest
from families.tables import tables

import kassay
from kassay import families, properties, reference
from kassay.conformance.fixtures import FORMS, read_family_fixtures
from kassay.families import FAMILIES, family
from kassay.families.family import Family
from kassay.model import Assignor
from kassay.protocol.simulation import faults
from kassay.protocol.simulation.group import INVARIANTS
from kassay.protocol.simulation.invariants import departures, groups, log, members, membership, steps
from kassay.protocol.simulation.schedule import SCENARIOS
from kassay.reference import ASSIGNORS

ROOT = Path(__file__).parents[2]
OF_THE_COORDINATOR = ("active", "refuses", "slow_log", "nodes", "epoch")
"""What of the world only the coordinator and its log have."""
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
                    f"{file_of(module)}: {name} has no line. Add it to {TABLES[chapter][0]} in properties/FAMILY.py"
                )


def test_an_assignor_has_its_line():
    for module in modules(reference):
        for one in vars(module).values():
            if isinstance(one, Assignor):
                assert one.name in ASSIGNORS, (
                    f"{file_of(module)}: {one.name} has no line. Add it to ASSIGNORS in reference/__init__.py"
                )


def test_an_assignor_says_what_it_does_and_where_that_comes_from():
    for name, one in ASSIGNORS.items():
        module = inspect.getmodule(one.assign)
        said = (module and module.__doc__) or ""
        assert re.match(r"\w.*\n\nSource: ", f"{said}\n", re.DOTALL), (
            f"{name}: its file says too little; let the docstring begin with what it does, and end with `Source: ...`"
        )


def test_an_assignor_promises_what_there_is():
    for name, one in ASSIGNORS.items():
        unknown = {*one.promises, *one.except_in} - family(one.family).properties.keys()
        assert not unknown, (
            f"{name} promises {sorted(unknown)}, which {one.family} groups do not know; see `kassay list promises`"
        )
        stray = one.except_in.keys() - one.promises
        assert not stray, f"{name}: has exceptions for {sorted(stray)}. Add these to its promises"


def test_a_fault_and_an_invariant_of_the_group_protocol_have_their_lines():
    begun = {kind.begin for kind in faults.FAULTS.values()}
    judged = {*INVARIANTS.values()}
    for module, known, where, is_one in (
        (faults, begun, "FAULTS", lambda of: [*of.parameters] == ["world", "fault"]),
        (groups, judged, "SAFETY or LIVENESS", lambda of: of.return_annotation == (str | None)),
        *(
            (module, judged, "STEPS", lambda of: of.return_annotation == (str | None))
            for module in (steps, departures, log, members, membership)
        ),
    ):
        for name, one in vars(module).items():
            if inspect.isfunction(one) and one.__module__ == module.__name__ and name[0] != "_":
                listed = one in known or not is_one(inspect.signature(one))
                assert listed, f"{file_of(module)}: {name} has no line. Add it to {where}"


def test_a_fault_strikes_what_its_words_say():
    """So a fault of the coordinator is not brought about where that runs elsewhere: its function is the one that touches it."""
    for name, kind in faults.FAULTS.items():
        assert (kind.strikes == "member") == ("{who}" in kind.words), (
            f'FAULTS: {name} strikes a {kind.strikes}. Give "member" where its words name {{who}}, and else another'
        )
        if touches(kind.begin):
            assert kind.strikes == "coordinator", (
                f'FAULTS: {name} changes the coordinator or its log. Give "coordinator", as nobody brings it about from outside'
            )


def touches(begin: Callable[..., None]) -> bool:
    """Return whether a fault's function changes the coordinator or its log, itself or through what it calls in its module."""
    called = {begin.__name__}
    while True:
        own = [one for name, one in vars(faults).items() if name in called and inspect.isfunction(one)]
        used = {name for one in own for name in one.__code__.co_names} & vars(faults).keys()
        if used <= called:
            return bool({*OF_THE_COORDINATOR} & {name for one in own for name in one.__code__.co_names})
        called |= used


def find_named_cases(part: str) -> set[int]:
    """Return the numbers of the cases that a part of the kill matrix names, alone or in a range."""
    runs = re.findall(r"\b(\d{4})(?:-(\d{4}))?", part)
    return {number for first, last in runs for number in range(int(first), int(last or first) + 1)}


def test_a_case_and_a_mutant_have_their_places_in_the_kill_matrix():
    page = (ROOT / "fixtures" / "kill-matrix.md").read_text()
    parts = {part.split()[0]: part for part in re.split("^## ", page, flags=re.MULTILINE)[1:]}
    named = {name: find_named_cases(part) for name, part in parts.items()}
    for name in FORMS:
        for lacking in (
            *(case.id for case in read_family_fixtures(name).cases if int(case.id[-4:]) not in named[name]),
            *(title for title in tables(name).mutants if f"| {title} |" not in parts[name]),
        ):
            raise AssertionError(
                f"{lacking} is not in fixtures/kill-matrix.md. Run `python tests/conformance/kill_matrix.py --write`"
            )


def test_a_scenario_has_a_test():
    """One of its own: the first test there plays all of them, and says only that groups come to rest."""
    tests = ast.parse((ROOT / "tests" / "simulation" / "test_scenarios.py").read_text())
    own = [one for one in tests.body if isinstance(one, ast.FunctionDef) and "every_scenario" not in one.name]
    said = {node.value for one in own for node in ast.walk(one) if isinstance(node, ast.Constant)}
    for name in SCENARIOS:
        assert name in said, (
            f"scenario {name} has no test. Say in tests/simulation/test_scenarios.py what must come of it"
        )


def test_an_invariant_and_a_law_of_consumers_have_a_test():
    """Connect's and Streams' own are tried by mutants and counted out in other ways."""
    tests = "".join(path.read_text() for path in (ROOT / "tests" / "properties").glob("test_*.py"))
    for chapter in ("invariants", "laws"):
        for name in getattr(family("consumer"), chapter):
            assert re.search(rf"\b{name}\b", tests), (
                f"{name} has no test. Say in tests/properties/test_{chapter}.py what it finds"
            )


def test_a_family_has_its_line():
    for module in modules(families):
        for one in vars(module).values():
            if isinstance(one, Family):
                assert one.name in FAMILIES, (
                    f"{file_of(module)}: {one.name} has no line. Add it to FAMILIES in src/kassay/families/__init__.py"
                )


def test_a_family_has_its_page():
    for name in FAMILIES:
        part, pages = f"family_{name.replace('-', '_')}", sorted((ROOT / "docs" / "reference").glob("*.md"))
        text = "".join(page.read_text() for page in pages)
        assert f"<!-- generated: {part} -->" in text, (
            f"docs/reference: write a page about {name}, with `<!-- generated: {part} -->` and `<!-- end -->`"
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
