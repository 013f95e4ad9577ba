"""Assignors of kassay's as targets: references, and those that answer with the optimum."""

from collections.abc import Collection, Mapping

from kassay.assignors import ASSIGNORS
from kassay.errors import InputError
from kassay.reference.releases import has_release, of_release
from kassay.suggesting import unknown
from kassay.targets.target import Target, failing_softly


def open_reference(spec: str) -> Target:
    """Open an assignor of kassay's by ``NAME`` or ``NAME@RELEASE``; raises InputError with the nearest where there is none."""
    name, at, release = spec.partition("@")
    if name not in ASSIGNORS:
        raise InputError(unknown("assignor", name, ASSIGNORS, "kassay list"))
    assignor = ASSIGNORS[name]
    if at:
        try:
            assignor = of_release(assignor, release)
        except ValueError as wrong:
            raise InputError(f"target {spec!r}: {wrong}") from None
    assign = failing_softly(assignor.assign)
    return Target(
        spec,
        assignor.family,
        assign,
        assign,
        assignor.promises,
        except_in=assignor.except_in,
        fails=assignor.fails,
        limits=assignor.limits,
        slow=assignor.slow,
        costs=assignor.costs,
    )


def reference_of(name: str, except_in: Mapping[str, Collection[str]]) -> str:
    """Name the assignor of kassay's whose exceptions another one has: by its name or, word for word, by these; "" if there is none."""
    known, at, release = name.partition("@")
    if known in ASSIGNORS:
        return name if at and has_release(known, release) else known
    terms = {promise: frozenset(excepted) for promise, excepted in except_in.items()}
    return next((each for each, own in ASSIGNORS.items() if terms and dict(own.except_in) == terms), "")
