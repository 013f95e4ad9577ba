"""kassay's own assignors as targets, references and optimal ones, and the choice of them by names and patterns."""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase

from kassay.errors import InputError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.reference.releases import build_release, has_release
from kassay.sentences import describe_missing, suggest_name
from kassay.targets.target import Target, wrap_failures


def open_reference(spec: str) -> Target:
    """Open one of kassay's assignors by ``NAME`` or ``NAME@RELEASE``; raises InputError with the nearest name if there is none."""
    name, at, release = spec.partition("@")
    if name not in ASSIGNORS:
        raise InputError(describe_missing("assignor", name, ASSIGNORS, "kassay list"))
    assignor = ASSIGNORS[name]
    if at:
        try:
            assignor = build_release(assignor, release)
        except ValueError as wrong:
            raise InputError(f"target {spec!r}: {wrong}") from None
    assign = wrap_failures(assignor.assign)
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


def find_reference(name: str, except_in: Mapping[str, Collection[str]]) -> str:
    """Return the name of kassay's assignor with the same name or exactly the same exceptions, "" if there is none."""
    known, at, release = name.partition("@")
    if known in ASSIGNORS:
        return name if at and has_release(known, release) else known
    terms = {promise: frozenset(excepted) for promise, excepted in except_in.items()}
    return next((each for each, own in ASSIGNORS.items() if terms and dict(own.except_in) == terms), "")


LONGEST = 200
"""The longest pattern that is tried; the time of a trial grows with the square of the length."""


def expand(specs: Sequence[str], *, studies: bool = False) -> list[str]:
    """Replace patterns such as ``consumer/*`` by the assignors that they match; raises InputError if there are none.

    They match assignors that can be set in Kafka, and with ``studies`` all that can be compared with these. A pattern that fits only others,
    such as ``consumer/optimal*``, matches those. ``consumer/*@2.8.0`` matches those that the release has.
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
            near = suggest_name(pattern.replace("*", ""), ASSIGNORS)
            raise InputError(
                f"target {pattern}: no assignor matches it. `kassay list` shows all {len(ASSIGNORS)}{near}"
            )
        matching = [
            name
            for name in matching
            if (_is_comparable(name) if studies else name in family(ASSIGNORS[name].family).settable)
        ] or matching
        if at:
            matching = [name for name in matching if has_release(name, release)] or matching
        found += [f"{name}{at}{release}" for name in matching]
    return list(dict.fromkeys(found))


def list_default_targets(family_name: str, *, studies: bool = False) -> list[str]:
    """Return the default targets: the assignors of a family that can be set in Kafka, with ``studies`` all others behind them."""
    settable = list(family(family_name).settable)
    if not studies:
        return settable
    own = [name for name, one in ASSIGNORS.items() if one.family == family_name and _is_comparable(name)]
    return list(dict.fromkeys([*settable, *own]))


def _is_comparable(name: str) -> bool:
    """Return True unless an assignor answers another question than its family."""
    return name not in family(ASSIGNORS[name].family).by_name
