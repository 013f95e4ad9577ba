"""The rows of the kill matrix: wrong assignors, each beside a right one, of mutants, of the museum and of releases."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.bases import base_of
from families.tables import tables

from kassay.conformance.case import Case
from kassay.conformance.form import Declared, Form, form
from kassay.conformance.making import is_large
from kassay.conformance.running import CheckResults, Judge
from kassay.errors import SkippedError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.reference.releases import behaviours, has_release, of_release
from kassay.shape import Assign
from kassay.targets.target import answering

MUSEUM = Path(__file__).parents[2] / "museum" / "museum.toml"


@dataclass(frozen=True)
class Row:
    """A wrong assignor, and a right one that passes where the fault shows; both are held to the same."""

    title: str
    kind: str
    affected: Assign
    fixed: Assign
    declared: Declared
    exact: str = ""


def rows(name: str) -> list[Row]:
    """Return the rows of a family."""
    return [*mutants(name), *museum(name), *releases(name)]


def mutants(name: str) -> Iterator[Row]:
    """Yield the mutants of a family, beside the honest assignors that they are made of."""
    for title, mutant in tables(name).mutants.items():
        base = base_of(name, title)
        yield Row(
            title,
            "mutant",
            answering(mutant.assign, family(name)),
            answering(base.assign, family(name)),
            base.declared,
        )


def exhibits(name: str) -> list[dict]:
    """Return the museum's exhibits of a family."""
    every = tomllib.loads(MUSEUM.read_text())["exhibit"]
    of_clients = "pypi:" if name == "consumer" else name
    return [
        one
        for one in every
        if one["affected"].rpartition("#")[2].startswith(f"{name}/") or one["affected"].startswith(of_clients)
    ]


def museum(name: str) -> Iterator[Row]:
    """Yield the released faults of the museum that show in answers, by the references of both releases."""
    for one in exhibits(name):
        if not one["affected"].startswith("kafka:"):
            continue
        (affected, assignor), (fixed, _) = (split(one[side]) for side in ("affected", "fixed"))
        of = form(name)
        if not (has_release(assignor, affected) and has_release(assignor, fixed)):
            continue  # released classes alone know it: kill_matrix.py asks them
        exact = next((key for key in keys(of, assignor)), "") if "static_identity" in one["shows"] else ""
        yield Row(
            f"{one['issue']} {assignor}@{affected}",
            "museum",
            as_of(assignor, affected),
            as_of(assignor, fixed),
            of.declared[assignor],
            exact,
        )


def keys(of: Form, assignor: str) -> list[str]:
    """Return the keys of `exact` of an assignor, oldest first."""
    return [f"{assignor.partition('/')[2]}@{release}" for release in of.exact.get(assignor, ())]


def releases(name: str) -> Iterator[Row]:
    """Yield each behaviour of Kafka's classes, beside a right one: what a release fails is no fault of the judge."""
    of = form(name)
    for assignor in of.exact:
        newest = keys(of, assignor)[-1]
        for behaviour in behaviours(assignor):
            release = behaviour.releases[-1]
            exact = newest if behaviour is behaviours(assignor)[-1] else ""
            yield Row(
                f"{assignor}@{release}",
                "release",
                as_of(assignor, release),
                right,
                of.declared[assignor],
                exact,
            )


def right(_group):
    """Stand for an assignor without fault: everything that a release fails counts."""
    raise SkippedError("nothing fails")


def split(spec: str) -> tuple[str, str]:
    """Return release and assignor of ``kafka:RELEASE#NAME``."""
    release, _, assignor = spec.removeprefix("kafka:").partition("#")
    return release, assignor


def as_of(assignor: str, release: str) -> Assign:
    """Return the reference of a release, which answers as a target does."""
    return answering(of_release(ASSIGNORS[assignor], release).assign, family(assignor.partition("/")[0]))


def failures(row: Row, assign: Assign, cases: list[Case], of: Form) -> dict[str, CheckResults]:
    """Return by case what an assignor fails."""
    judge = Judge(of, assign, row.declared, row.exact)
    found = {}
    for case in cases:
        try:
            found[case.id] = {check: wrong for check, wrong in judge.judge(case).items() if wrong}
        except SkippedError:
            found[case.id] = {}
    return found


def kills(row: Row, cases: list[Case], of: Form) -> dict[str, list[str]]:
    """Return by case the checks that the wrong assignor fails and the right one passes; only cases that have some."""
    cases = [
        case for case in cases if not is_large(case.group, of)
    ]  # those are for released classes and a clock
    wrong, well = (failures(row, assign, cases, of) for assign in (row.affected, row.fixed))
    found = {case.id: [check for check in wrong[case.id] if check not in well[case.id]] for case in cases}
    return {case: checks for case, checks in found.items() if checks}
