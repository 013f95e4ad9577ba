"""Solvers and strategies that are loaded when they are first called: listing families loads neither NumPy nor Hypothesis."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from kassay.errors import InputError
from kassay.families.family import Verify
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment.own_levels import BALANCE


def load_later(place: str) -> Callable[..., Any]:
    """Return a function that stands for the one at ``module:function``, whose module is imported by the first call."""
    module, _, name = place.partition(":")

    def call(*arguments: Any) -> Any:
        return getattr(import_module(module), name)(*arguments)

    return call


def build_verifier(kind: str, write_group: Callable[[Any], Any]) -> Verify:
    """Return the verifier of printed JSON answers for groups of a kind. The checker reads groups and answers as JSON only."""

    def verify(group: Any, answer: Any, events: tuple[str, int] | None = None) -> tuple[bool | None, str]:
        from kassay.oracles.proof.command import verify_answer
        from kassay.oracles.proof.reading import WrongInputError

        try:
            return verify_answer(kind, write_group(group), answer, events)
        except WrongInputError as wrong:
            raise InputError(str(wrong)) from None

    return verify


def build_uneven(measure: Callable[[Any, Any], Any], optimum: str) -> Callable[[Any, Any], bool]:
    """Return the check whether an answer is less even, by a measure, than the optimum that a solver finds."""
    solve = load_later(optimum)

    @lru_cache(maxsize=256)  # Several targets play the same rebalances.
    def least(group: Any) -> Any:
        return measure(group, solve(BALANCE, group, None).assignment)

    return lambda group, answer: bool(measure(group, answer) > least(group))


def build_sequence_solver(
    solver: str, stages: Callable[[Any], Any]
) -> Callable[[str, Any, float | None], OverTime]:
    """Return the function that solves a question over the stages of a timeline."""
    solve = load_later(solver)

    def optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
        found: OverTime = solve(question, stages(timeline), time_limit_s)
        return found

    return optimum


def keep_last(solver: str) -> Callable[..., Any]:
    """Return a solver that caches its last answer: a comparison asks about one group after the other."""
    return lru_cache(maxsize=1)(load_later(solver))
