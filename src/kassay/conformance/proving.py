"""Asking the oracles of a family for the best values of a group, with the proof that stands beside the fixtures."""

from typing import Any

from kassay.conformance.form import Proof
from kassay.errors import InputError
from kassay.families import family
from kassay.oracles.answers import Answer


def proved(name: str, question: str, group: Any, of: tuple[str, ...]) -> tuple[Answer, Proof]:
    """Return the proved answer of a family to a question, and the proof of these aims as `kassay optimum --json` prints it.

    Raises InputError where the family has no oracles, or the answer is not proved.
    """
    of_family = family(name)
    if of_family.oracles is None:
        raise InputError(f"there are no oracles for the {name} family yet")
    found = of_family.oracles.optimum(question, group, None)
    if not found.proved:
        raise InputError(f"{question}: is not proved; take a smaller group")
    return found, Proof(of, found.record(of_family.shape.write_assignment(found.assignment)))
