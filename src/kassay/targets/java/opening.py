"""Opening Java targets by the forms people write them in.

The adapter protocol around a Java class: which Java command answers requests about it.

Plain pipes to a ``java`` of its own, for they were the fastest and sturdiest. Small groups of parity/classes took 0.06 ms of
CPU in Java and 0.03 in Python when asked in bulk, 0.1 and 0.07 one by one; through JPype, which makes Kafka's objects one by
one from Python, 0.3 (range) to 0.9 (sticky). And there is no bridge that has to fit both Python and Java.

Which assignors a jar holds, told from its files without Java.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kassay.errors import InputError
from kassay.maven.compiling import compiled, find_java
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import fetched
from kassay.maven.pinned import digests
from kassay.maven.resolving import resolved
from kassay.reference import ASSIGNORS
from kassay.suggesting import nearest
from kassay.targets.java.class_path import SLF4J_API, SLF4J_NOP, class_files, completed, supertypes, usable
from kassay.targets.java.releases import KAFKA, Own
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


SOURCES = sorted(Path(__file__).with_name("adapter").glob("*.java"))
INTERFACES = (
    Coordinate("org.apache.kafka", "kafka-clients", "2.8.2"),
    Coordinate("org.apache.kafka", "kafka-streams", "4.3.1"),
    Coordinate("org.apache.kafka", "kafka-group-coordinator", "3.7.2"),
    Coordinate("org.apache.kafka", "kafka-group-coordinator-api", "3.9.2"),
    Coordinate("org.apache.kafka", "connect-runtime", "3.7.2"),
    Coordinate("org.apache.kafka", "connect-api", "3.7.2"),
)
"""Releases that have all interfaces between them; one compilation against them serves all releases."""

SWITCHES = (
    "-Xmx1g",
    "-XX:-OmitStackTraceInFastThrow",  # or exceptions that come often lose message and stack
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+ErrorFileToStderr",
    "-XX:OnError=echo the Java machine itself crashed",
    "-Djava.awt.headless=true",
)
APART = ("/bin/sh", "-c", 'exec "$@" 3>&1 1>&2', "sh")
"""Answers go to descriptor 3, so that nothing that Java or native code prints comes between them."""

WARNING = 0.9
"""At this share of the time limit the process says what it is busy with, for the verdict."""


def adapter_command(class_path: list[Path], class_name: str, timeout_s: float) -> list[str]:
    """Return the command that answers requests about a class; raises InputError or TargetGoneError without Java or jars."""
    classes = compiled(SOURCES, INTERFACES)
    command = find_java().command([classes, *class_path], *SWITCHES, "kassay.Adapter")
    return [*APART, *command, class_name, f"{WARNING * timeout_s:g}"]


_KAFKA = "org/apache/kafka/"
_ASSIGNORS = (
    "clients/consumer/ConsumerPartitionAssignor",
    "clients/consumer/internals/PartitionAssignor",
    "clients/consumer/internals/AbstractPartitionAssignor",
    "clients/consumer/internals/AbstractStickyAssignor",
    "clients/consumer/RangeAssignor",
    "clients/consumer/RoundRobinAssignor",
    "clients/consumer/StickyAssignor",
    "clients/consumer/CooperativeStickyAssignor",
    "streams/processor/assignment/TaskAssignor",
    "streams/processor/internals/assignment/LegacyTaskAssignor",
    "streams/processor/internals/assignment/TaskAssignor",
    "coordinator/group/api/assignor/ConsumerGroupPartitionAssignor",
    "coordinator/group/api/assignor/ShareGroupPartitionAssignor",
    "coordinator/group/assignor/PartitionAssignor",
    "coordinator/group/api/streams/assignor/TaskAssignor",
    "coordinator/group/streams/assignor/TaskAssignor",
    "connect/runtime/distributed/IncrementalCooperativeAssignor",
    "connect/runtime/distributed/EagerAssignor",
)
_BUILT_ON = {f"{_KAFKA}{name}" for name in _ASSIGNORS}
"""Kafka's interfaces of assignors, and its classes that implement them and can be extended."""
MOST = 3
"""How many assignors of a jar are named."""


def assignors_in(jar: Path) -> list[str]:
    """Return the names of the assignor classes in a jar or a folder of classes, in order; raises InputError where it is neither."""
    files = class_files(jar)
    found = [name for name, data in files.items() if usable(data) and _is_assignor(name, files, frozenset())]
    own = [
        name for name in found if not name.startswith(_KAFKA)
    ]  # beside those of a Kafka packed into the jar
    return sorted(name.replace("/", ".") for name in own or found)


def _is_assignor(name: str, files: Mapping[str, bytes], seen: frozenset[str]) -> bool:
    """Say whether a class is one of Kafka's assignors or built on one, be it by way of others of the jar."""
    if name in _BUILT_ON:
        return True
    if name in seen or name not in files:
        return False
    return any(_is_assignor(each, files, seen | {name}) for each in supertypes(files[name]))


def no_class(path: str) -> InputError:
    """Return what to say where a jar is named without a class of it: which assignors it has, and how they are checked."""
    names = assignors_in(Path(path))
    if not names:
        return InputError(
            f"{path} has no assignor that could be checked; write jar:PATH#CLASS with a jar that has one"
        )
    command = [f"kassay check jar:{path}#{names[0]}"]
    if len(names) == 1:
        return InputError(f"{path} has one assignor, {names[0]}. Check it:", command)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return InputError(
        f"{path} has {len(names)} assignors: {', '.join(names[:MOST])}{more}. Check one:", command
    )
