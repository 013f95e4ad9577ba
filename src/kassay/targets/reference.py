"""Assignors of kassay's as targets: references, and those that answer with the optimum."""

from kassay.assignors import ASSIGNORS
from kassay.errors import InputError
from kassay.reference.releases import of_release
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
    return Target(spec, assignor.family, assign, assign, assignor.promises, except_in=assignor.except_in)
