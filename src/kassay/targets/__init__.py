"""Targets: whatever can be judged, near or far, as one and the same kind of thing."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from importlib import import_module
from typing import TypeAlias

from kassay.assignors import ASSIGNORS
from kassay.errors import InputError
from kassay.reference.releases import has_release
from kassay.suggesting import meant
from kassay.targets.limits import Limits
from kassay.targets.program import open_program
from kassay.targets.python import open_python
from kassay.targets.reference import open_reference
from kassay.targets.target import Options, Target

Opener: TypeAlias = Callable[[str, str, Options], Target]


def _java(kind: str) -> Opener:
    """Load what opens Java targets only when one is asked for: every Python target imports this package again."""

    def opener(spec: str, rest: str, options: Options) -> Target:
        openers = import_module("kassay.targets.java")
        opened: Target = getattr(openers, f"open_{kind}")(spec, rest, options)
        return opened

    return opener


OPENERS: dict[str, Opener] = {
    "python": open_python,
    "exec": open_program,
    "kafka": _java("kafka"),
    "maven": _java("maven"),
    "jar": _java("jar"),
}
FORMS = {
    "python": "python:MODULE:ATTRIBUTE",
    "exec": "exec:COMMAND LINE",
    "kafka": "kafka:VERSION#consumer/range",
    "maven": "maven:GROUP:ARTIFACT:VERSION#CLASS",
    "jar": "jar:PATH[:PATH...]#CLASS",
}
"""How a target of each kind is written."""


def open_target(spec: str, options: Options) -> Target:
    """Open a target by the form people write it in; the caller closes it.

    Raises InputError where there is no such target and TargetGoneError where it does not start.
    """
    kind, colon, rest = spec.partition(":")
    if not colon and ".jar" in spec:
        path, hash_, _ = spec.partition("#")
        if hash_:
            raise InputError(f"{path} is a jar. Check its assignor:", [f"kassay check jar:{spec}"])
        return OPENERS["jar"](f"jar:{spec}", spec, options)
    if not colon:
        return open_reference(spec)
    if kind not in OPENERS:
        raise InputError(
            f"target {spec!r}: there is no kind {kind!r}; give a name from `kassay list`, or {' or '.join(FORMS.values())}"
            f"{meant(kind, OPENERS)}"
        )
    if not rest.strip():
        raise InputError(f"target {spec!r}: nothing stands after the colon; write {FORMS[kind]}")
    return OPENERS[kind](spec, rest, options)


def expand(specs: list[str]) -> list[str]:
    """Replace patterns such as ``consumer/*`` by kassay's assignors that they match; raises InputError where none does.

    ``consumer/*@2.8.0`` matches those that the release has.
    """
    found: list[str] = []
    for spec in specs:
        if ":" in spec or not any(sign in spec for sign in "*?["):
            found.append(spec)
            continue
        pattern, at, release = spec.partition("@")
        matching = [name for name in ASSIGNORS if fnmatchcase(name, pattern)]
        if not matching:
            raise InputError(f"no assignor matches {pattern}. kassay list shows all {len(ASSIGNORS)}.")
        if at:
            matching = [name for name in matching if has_release(name, release)] or matching
        found += [f"{name}{at}{release}" for name in matching]
    return list(dict.fromkeys(found))


__all__ = ["FORMS", "OPENERS", "Limits", "Options", "Target", "expand", "open_target"]
