"""Targets: everything that can be tested, as one kind of thing."""

import shlex
from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from kassay.errors import InputError
from kassay.sentences import suggest_name
from kassay.targets.limits import Limits
from kassay.targets.program import open_client, open_program, open_python
from kassay.targets.reference import expand, list_default_targets, open_reference
from kassay.targets.target import Options, Target

Opener: TypeAlias = Callable[[str, str, Options], Target]


def _open_java(spec: str, rest: str, options: Options) -> Target:
    # Loaded on demand, since the process of every Python target imports this package again.
    openers = import_module("kassay.targets.java")
    opened: Target = getattr(openers, f"open_{spec.partition(':')[0]}")(spec, rest, options)
    return opened


OPENERS: dict[str, Opener] = {
    "python": open_python,
    "exec": open_program,
    "kafka": _open_java,
    "maven": _open_java,
    "jar": _open_java,
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
"""The form of each kind of target."""


def open_target(spec: str, options: Options) -> Target:
    """Open a target by the form that users write; the caller closes it.

    Raises InputError if there is no such target, and TargetGoneError if it does not start.
    """
    kind, colon, rest = spec.partition(":")
    if not colon and ".jar" in spec:
        path, hash_, _ = spec.partition("#")
        if hash_:
            raise InputError(f"{path} is a jar. Check its assignor:", [f"kassay check jar:{spec}"])
        return OPENERS["jar"](f"jar:{spec}", spec, options)
    if not colon:
        return open_reference(spec)
    if kind == "coordinator":
        address = shlex.quote(rest.strip() or "HOST:PORT")
        raise InputError(
            f"target {spec!r}: is a coordinator, and `kassay check` tests assignors. Run these instead:",
            [f"kassay simulate --coordinator {address}", f"kassay fixtures run coordinator:{address}"],
        )
    if kind not in OPENERS:
        raise InputError(
            f"target {spec!r}: there is no kind {kind!r}. Give a name from `kassay list`, or {' or '.join(FORMS.values())}"
            f"{suggest_name(kind, OPENERS)}"
        )
    if not rest.strip():
        raise InputError(f"target {spec!r}: nothing stands after the colon. Write {FORMS[kind]}")
    return OPENERS[kind](spec, rest, options)


__all__ = ["FORMS", "OPENERS", "Limits", "Options", "Target", "expand", "list_default_targets", "open_target"]
