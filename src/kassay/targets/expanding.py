"""Which assignors a command line means: those that it names, what patterns match, and Kafka's own where it names none."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from kassay.assignors import ASSIGNORS
from kassay.errors import InputError
from kassay.families import family
from kassay.reference.releases import has_release
from kassay.suggesting import meant


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
        matching = [name for name in ASSIGNORS if fnmatchcase(name, pattern)]
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
