"""Reference assignors as targets."""

from kassay.errors import InputError
from kassay.reference import ASSIGNORS
from kassay.targets.target import Target, failing_softly


def open_reference(name: str) -> Target:
    """Open a reference assignor by its name; raises InputError with the known names where there is none."""
    if name not in ASSIGNORS:
        raise InputError(
            f"target {name!r}: there is no such reference assignor; known are {', '.join(ASSIGNORS)}"
        )
    assignor = ASSIGNORS[name]
    assign = failing_softly(assignor.assign)
    return Target(name, assignor.family, assign, assign, assignor.promises, except_in=assignor.except_in)
