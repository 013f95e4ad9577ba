"""Hold a target against another one: the same groups, and the answers must be equal to the letter."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kassay.comparison.differential import said
from kassay.errors import InputError, SkippedError
from kassay.family import Family, Law
from kassay.model import AssignorError
from kassay.shape import Assign
from kassay.targets.target import Target

EQUAL = "equal"


def with_equality(family: Family, target: Target, other: Target) -> Family:
    """Give a family one more law, `equal`: the target answers as the other one does.

    Raises InputError where the two are of different families.
    """
    if target.family != other.family:
        raise InputError(
            f"--against {other.name}: is of the family {other.family}, {target.name} of {target.family}"
        )
    return replace(family, laws={**family.laws, EQUAL: equal_to(other, family)})


def equal_to(other: Target, family: Family) -> Law:
    """Make the law that an assignor answers as the other one, lists in order; where one fails, so must the other."""

    def equal(assign: Assign, group: Any) -> Iterator[str]:
        """Every answer is the other target's, to the letter."""
        try:
            theirs = _answer(other.assign, group, family)
        except SkippedError:
            return
        own = _answer(assign, group, family)
        if own != theirs:
            yield f"it gives {own}, and {other.name} {theirs}"

    return equal


def _answer(assign: Assign, group: Any, family: Family) -> Any:
    """Give the answer as JSON, so that tuples and lists are alike; a failure is an answer too, by its first words."""
    try:
        return said(assign(group), family)
    except AssignorError as failure:
        return f"no answer ({said(failure, family).partition(':')[0]})"
