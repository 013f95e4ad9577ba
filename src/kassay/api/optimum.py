"""Optima and assignments from Python, one group at a time."""

from typing import Any

from kassay.api.candidate import Candidate, opened
from kassay.defaults import FAMILY
from kassay.errors import InputError
from kassay.families import family as family_of
from kassay.oracles.answers import Answer
from kassay.targets import Options

QUESTION = "balance,moves,cross-rack"


def optimum(
    group: Any, question: str = QUESTION, *, family: str = FAMILY, time_limit_s: float | None = None
) -> Answer:
    """Return the exact optimum of a question about a group, with an assignment that has it and a certificate.

    ``answer.certificate["proved"]`` is False where the time limit, in seconds, passed first. Raises InputError where the
    family has no oracles, kassay.oracles.failures.OracleError where there is no answer.
    """
    of_family = family_of(family)
    if of_family.oracles is None:
        raise InputError(f"there are no oracles for the {of_family.name} family yet")
    return of_family.oracles.optimum(question, group, time_limit_s)


def assign(target: Candidate, group: Any, *, family: str = FAMILY, options: Options | None = None) -> Any:
    """Return the assignment of a target for a group.

    Raises AssignorError where it fails on the group, SkippedError where it declines it, InputError where there is no such
    target, TargetGoneError where it does not start.
    """
    with opened(target, options or Options(family=family)) as open_:
        return open_.assign(group)
