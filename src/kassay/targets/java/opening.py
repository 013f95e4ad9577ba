"""Opening Java targets by the forms people write them in."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kassay.errors import InputError
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import fetched
from kassay.maven.pinned import digests
from kassay.maven.resolving import resolved
from kassay.reference import ASSIGNORS
from kassay.suggesting import nearest
from kassay.targets.java.class_path import SLF4J_API, SLF4J_NOP, completed
from kassay.targets.java.holding import no_class
from kassay.targets.java.releases import KAFKA, Own
from kassay.targets.java.running import adapter_command
from kassay.targets.program import open_command
from kassay.targets.reference import reference_of
from kassay.targets.target import Options, Target

_CLASS = re.compile(r"[\w$]+(\.[\w$]+)*")


def open_kafka(spec: str, rest: str, options: Options) -> Target:
    """Open ``VERSION#consumer/range``: an assignor of a Kafka release, held to what the reference of that name promises, beside that of the release.

    Raises InputError where there is no such release or assignor, TargetGoneError where it cannot be fetched.
    """
    version, _, name = rest.partition("#")
    with _naming(spec):
        if name not in KAFKA:
            near = nearest(name, KAFKA) or next(iter(KAFKA))
            raise InputError(
                f"Kafka has no assignor {name or 'without a name'}; write kafka:{version or 'VERSION'}#{near}, or another one of kassay list"
            )
        class_name = KAFKA[name].class_name(version)
        command = adapter_command(_release(KAFKA[name], version, class_name), class_name, options.timeout_s)
    target = open_command(spec, command, _limiting_itself(options))
    reference = ASSIGNORS[name]
    return replace(
        target,
        promises=reference.promises,
        except_in=reference.except_in,
        reference=reference_of(f"{name}@{version}", reference.except_in),
        limits=reference.limits,
        slow=reference.slow,
    )


def open_maven(spec: str, rest: str, options: Options) -> Target:
    """Open ``GROUP:ARTIFACT:VERSION[+GROUP:ARTIFACT:VERSION...]#CLASS``; raises as :func:`open_kafka` does."""
    place, class_name = _split(spec, rest, "maven:GROUP:ARTIFACT:VERSION#CLASS")
    with _naming(spec):
        jars = completed(resolved([Coordinate.parse(part) for part in place.split("+")]), class_name)
        command = adapter_command(jars, class_name, options.timeout_s)
    return open_command(spec, command, _limiting_itself(options))


def open_jar(spec: str, rest: str, options: Options) -> Target:
    """Open ``PATH[:PATH...]#CLASS``, of jars and folders of classes; raises InputError where one is neither.

    Where no class is named, that says which assignors there are.
    """
    if "#" not in rest and os.pathsep not in rest:
        with _naming(spec):
            raise no_class(rest)
    place, class_name = _split(spec, rest, "jar:PATH[:PATH...]#CLASS")
    with _naming(spec):
        jars = completed([Path(path) for path in place.split(os.pathsep)], class_name)
        command = adapter_command(jars, class_name, options.timeout_s)
    return open_command(spec, command, _limiting_itself(options))


def _release(own: Own, version: str, class_name: str) -> list[Path]:
    jars = own.needs(version)
    if all(jar.path in digests() for jar in jars):
        return list(map(fetched, [*jars, SLF4J_API, SLF4J_NOP]))
    try:  # 3.8.0 is not pinned: its settings of consumers need zstd-jni, which is resolved with it
        return completed(resolved(jars), class_name)
    except InputError as wrong:
        known = own.versions()
        raise InputError(f"{wrong}; releases known are {known[0]} to {known[-1]}") from None


def _split(spec: str, rest: str, form: str) -> tuple[str, str]:
    place, _, class_name = rest.partition("#")
    if not place or not _CLASS.fullmatch(class_name):
        raise InputError(f"target {spec!r}: names no class; write {form}")
    return place, class_name


def _limiting_itself(options: Options) -> Options:
    """Leave the limit of memory to Java, which reserves more than it takes; there is one assignor, of any name."""
    return replace(options, assignor=None, limits=replace(options.limits, memory_mb=0))


@contextmanager
def _naming(spec: str) -> Iterator[None]:
    """Say of which target wrong input is."""
    try:
        yield
    except InputError as wrong:
        if wrong.copy:  # it names what was meant
            raise
        raise InputError(f"target {spec!r}: {wrong}") from None
