"""Assignors of kassay's as targets: references, and those that answer with the optimum.

Which assignors a command line means: those that it names, what patterns match, and Kafka's own where it names none.
"""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase

from kassay.errors import InputError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.reference.releases import has_release, of_release
from kassay.suggesting import meant, unknown
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


LONGEST = 200
"""A longer pattern matches no assignor; to try one takes time that grows with its square."""


def expand(specs: Sequence[str], *, studies: bool = False) -> list[str]:
    """Replace patterns such as ``consumer/*`` by kassay's assignors that they match; raises InputError where none does.

    They match those that can be set in Kafka, with ``studies`` all others, too, but for those that answer another question; a pattern
    that fits none of the former, such as ``consumer/optimal*``, means the latter. ``consumer/*@2.8.0`` matches those that the release has.
    """
    found: list[str] = []
    for spec in specs:
        if ":" in spec or not any(sign in spec for sign in "*?["):
            found.append(spec)
            continue
        pattern, at, release = spec.partition("@")
        fits = len(pattern) <= LONGEST
        matching = [name for name in ASSIGNORS if fits and fnmatchcase(name, pattern)]
        if not matching:
            near = meant(pattern.replace("*", ""), ASSIGNORS)
            raise InputError(
                f"no assignor matches {pattern}{near or '.'} kassay list shows all {len(ASSIGNORS)}."
            )
        wanted = _comparable if studies else _settable
        matching = [name for name in matching if wanted(name)] or matching
        if at:
            matching = [name for name in matching if has_release(name, release)] or matching
        found += [f"{name}{at}{release}" for name in matching]
    return list(dict.fromkeys(found))


def kafkas_own(family_name: str, *, studies: bool = False) -> list[str]:
    """Return the assignors of a family that can be set in Kafka, with ``studies`` all others behind them: what a command without a target takes."""
    settable = list(family(family_name).settable)
    rest = [
        name
        for name, one in ASSIGNORS.items()
        if one.family == family_name and name not in settable and _comparable(name)
    ]
    return [*settable, *rest] if studies else settable


def _settable(name: str) -> bool:
    return name in family(ASSIGNORS[name].family).settable


def _comparable(name: str) -> bool:
    return name not in family(ASSIGNORS[name].family).by_name
