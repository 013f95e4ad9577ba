"""What Python code may name as a target: what the command line takes, an Assignor, a function, or a client's class."""

from collections.abc import Callable
from typing import Any, TypeAlias

from kassay.assignors import ASSIGNORS
from kassay.families import FAMILIES, family
from kassay.model import Assignor
from kassay.targets import Options, Target, open_target
from kassay.targets.reference import reference_of
from kassay.targets.target import answering

Candidate: TypeAlias = str | Assignor | Callable[[Any], Any]
"""The name of a target as on the command line, or code of this process: an Assignor, a function from a group to an
assignment, or an assignor class of kafka-python or aiokafka."""


def opened(candidate: Candidate, options: Options) -> Target:
    """Open a candidate; the caller closes it.

    Code answers in this process: what it raises is its failure, but nothing bounds its time and memory. Raises InputError
    where there is no such target, TargetGoneError where it does not start.
    """
    if isinstance(candidate, str):
        return open_target(candidate, options)
    place = options.family
    if isinstance(candidate, Assignor) and candidate.family in FAMILIES:
        place = candidate.family
    of_family = family(place)
    made = candidate if isinstance(candidate, Assignor) else of_family.adapt(candidate)
    assign = answering(made.assign if made else candidate, of_family)  # type: ignore[arg-type]
    return Target(
        title(candidate), of_family.name if place in FAMILIES else place, assign, assign,
        (made.promises or None) if made else None,
        except_in=made.except_in if made else {},
        reference=reference_of(made.name, made.except_in) if made and ASSIGNORS.get(made.name) is not made else "",
        limits=made.limits if made else frozenset(),
        fails=made.fails if made and ASSIGNORS.get(made.name) is made else frozenset(),
    )  # fmt: skip


def title(candidate: Candidate) -> str:
    """Name a candidate in messages and tables."""
    if isinstance(candidate, str):
        return candidate
    if isinstance(candidate, Assignor):
        return candidate.name
    return str(getattr(candidate, "__name__", type(candidate).__name__))
