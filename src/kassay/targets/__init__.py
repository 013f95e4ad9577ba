"""Targets: whatever can be judged, near or far, as one and the same kind of thing."""

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from kassay.errors import InputError
from kassay.suggesting import meant
from kassay.targets.limits import Limits
from kassay.targets.program import open_client, open_program, open_python
from kassay.targets.reference import expand, kafkas_own, open_reference
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
    "client": open_client,
}
FORMS = {
    "python": "python:MODULE:ATTRIBUTE",
    "exec": "exec:COMMAND LINE",
    "kafka": "kafka:VERSION#consumer/range",
    "maven": "maven:GROUP:ARTIFACT:VERSION#CLASS",
    "jar": "jar:PATH[:PATH...]#CLASS",
    "client": "client:COMMAND LINE",
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


__all__ = ["FORMS", "OPENERS", "Limits", "Options", "Target", "expand", "kafkas_own", "open_target"]
