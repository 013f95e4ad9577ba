"""Java assignor classes as targets: from Maven repositories, from Kafka's own releases, from local jars.

Each target is a Java process of its own that runs the few classes in the folder ``adapter``, which speak the adapter
protocol; so releases can be compared in one run, and a class may hang or end its process. Each group is given to a fresh
instance, with members and topics in the group's order, and each list of the answer in the order the class gave it.

What a class is told depends on what its release can be told:

- 2.2 and 2.3 (``internals.PartitionAssignor``): subscriptions, and user data.
- from 2.4 on (``ConsumerPartitionAssignor``): what members own, and their instance ids, too.
- from 3.4 on: the generation and the rack of members, too. The racks of replicas stand in the metadata of every release,
  but assignors read them from 3.5 on: a group with racks is one without them for an earlier release.

Task assignors of Kafka Streams, Kafka's own and users', are driven through the interface that they implement:

- 3.3 to 3.7 (``internals.assignment.TaskAssignor``): clients by UUID; from 3.6 on racks, too. A strategy that a release does not
  know is declined there.
- from 3.8 on (``internals.assignment.LegacyTaskAssignor``): clients by ProcessId.
- from 3.8 on (``assignment.TaskAssignor``, KIP-924): the whole application; a class is configured with application.id, with the
  group's settings and with the tags of its first client, for each group anew, as Kafka does it in each rebalance.

Server-side assignors are driven through the interface that they implement:

- 3.6 and 3.7 (``coordinator.group.assignor.PartitionAssignor``): consumer groups.
- from 3.8 on (``coordinator.group.api.assignor``): consumer groups by ConsumerGroupPartitionAssignor, from 3.9 on share groups by
  ShareGroupPartitionAssignor. Instance ids are told from 3.9 on, which partitions may be given from 4.1 on.

Topics come with their ids; subscriptions to topics that do not exist are handed on, which a coordinator would leave out. What members
own are maps and sets in the group's order. Answers are sets: they are written by topic in the group's order, then by number.

Connect's two assignors are driven from 3.3 on, each round by itself: the incremental one by its method that works out a round, with the
fields of a fresh object set to what the group says is remembered, and workers in a HashMap; the eager one by the bytes of its protocol.

Clients and tasks are put into Java's hash maps and sets in the order in which the group lists them. Racks that the group does not
tell are unknown to the cluster.

User data are what an instance of the member's own says after it was told what the member owns (`onAssignment`); those of
StickyAssignor are written here, with the claims in the group's order. A class that is Configurable is given group.id,
and for a member its client.rack and group.instance.id.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from kassay.errors import InputError
from kassay.files.texts import read_limited, refuse_larger
from kassay.reference import ASSIGNORS
from kassay.suggesting import nearest
from kassay.targets.java.releases import COORDINATORS, GROUP, KAFKA, Line, Own, line, newest
from kassay.targets.maven.java_programs import compiled, find_java, resolved
from kassay.targets.maven.repository import Coordinate, digests, fetched
from kassay.targets.program import open_command
from kassay.targets.reference import reference_of
from kassay.targets.target import Options, Target

MAGIC = b"\xca\xfe\xba\xbe"
_CLASS_class_path, _UTF8 = 7, 1
_SIZES = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    _CLASS_class_path: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
"""Tag of a constant -> its bytes (Java Virtual Machine Specification, 4.4)."""
_WIDE = {5, 6}
"""Constants that take two numbers: long and double."""


_PUBLIC, _INTERFACE, _ABSTRACT = 0x1, 0x200, 0x400


def supertypes(data: bytes) -> list[str]:
    """Return the superclass and the interfaces of a class file, such as ``java/lang/Object``.

    None where it is no whole class file: what is wrong with it, Java says when it loads it.
    """
    return _said(data)[1]


def usable(data: bytes) -> bool:
    """Say whether a class file is of a public class of which there can be instances."""
    return _said(data)[0] & (_PUBLIC | _INTERFACE | _ABSTRACT) == _PUBLIC


def _said(data: bytes) -> tuple[int, list[str]]:
    """Return the flags and the supertypes of a class file; none where it is no whole one."""
    try:
        return _parsed(data) if data[:4] == MAGIC else (0, [])
    except (IndexError, KeyError):
        return 0, []


def _parsed(data: bytes) -> tuple[int, list[str]]:
    texts: dict[int, str] = {}
    classes: dict[int, int] = {}
    at, number = 10, 1
    while number < _short(data, 8):
        tag = data[at]
        if tag == _UTF8:
            size = 2 + _short(data, at + 1)
            texts[number] = data[at + 3 : at + 1 + size].decode("utf-8", "replace")
        else:
            size = _SIZES[tag]
            if tag == _CLASS_class_path:
                classes[number] = _short(data, at + 1)
        at += 1 + size
        number += 2 if tag in _WIDE else 1
    count = _short(data, at + 6)
    named = [_short(data, at + 4), *(_short(data, at + 8 + 2 * n) for n in range(count))]
    return _short(data, at), [texts[classes[number]] for number in named if number]


def _short(data: bytes, at: int) -> int:
    return data[at] << 8 | data[at + 1]


_KAFKA = "org/apache/kafka/"
SLF4J_API = Coordinate("org.slf4j", "slf4j-api", "1.7.36")
SLF4J_NOP = Coordinate("org.slf4j", "slf4j-nop", "1.7.36")
KAFKA_CLASS = f"{_KAFKA}common/TopicPartition.class"
STREAMS_CLASS = f"{_KAFKA}streams/KafkaStreams.class"
VERSIONS = ("kafka/kafka-version.properties", "kafka/kafka-streams-version.properties")
"""Files that name the release of the jar that they stand in."""
SLF4J_CLASS = "org/slf4j/Logger.class"
LOGGERS = {"org/slf4j/impl/StaticLoggerBinder.class", "META-INF/services/org.slf4j.spi.SLF4JServiceProvider"}


@dataclass(frozen=True, slots=True)
class Parts:
    """What a class of some package needs of Kafka: the artifacts, the first of which tells the newest release, each with a class it holds."""

    prefix: str
    artifacts: Mapping[str, str]
    since: Mapping[str, Line] = field(default_factory=dict, hash=False)
    """The line of releases from which on there is an artifact; the others are as old as the package."""

    @property
    def holder(self) -> str:
        """The class that tells that jars hold the package."""
        return next(iter(self.artifacts.values()))


_CLIENTS = Parts("", {"kafka-clients": KAFKA_CLASS})
_STREAMS = Parts(f"{_KAFKA}streams/", {"kafka-streams": STREAMS_CLASS, "kafka-clients": KAFKA_CLASS})
_COORDINATOR = Parts(
    f"{_KAFKA}coordinator/group/",
    {
        "kafka-group-coordinator": f"{_KAFKA}coordinator/group/GroupCoordinator.class",
        "kafka-group-coordinator-api": f"{_KAFKA}coordinator/group/api/assignor/PartitionAssignor.class",
        "kafka-server-common": f"{_KAFKA}server/common/ApiMessageAndVersion.class",
        "kafka-clients": KAFKA_CLASS,
    },
    COORDINATORS,
)


def kafka_clients(version: str) -> Coordinate:
    """Return the coordinate of the jar with Kafka's own assignors of consumers."""
    return Coordinate(GROUP, "kafka-clients", version)


def newest_kafka() -> Coordinate:
    """Return the newest release of Kafka's assignors of consumers that kassay knows."""
    return newest("kafka-clients")


def completed(jars: Sequence[Path], class_name: str = "") -> list[Path]:
    """Add what the jars lack for a class: Kafka, with Streams or the group coordinator where it is built on that, and a silent logger.

    Kafka is of the release that the jars already hold a part of, or else the newest known. Raises InputError where one of them is
    neither a jar nor a folder of classes, or that release is not known.
    """
    names = {name for jar in jars for name in _names(jar)}
    lacking = [
        *_lacking_of_kafka(jars, names, class_name.replace(".", "/")),
        *([] if SLF4J_CLASS in names else [SLF4J_API]),
        *([] if LOGGERS & names else [SLF4J_NOP]),
    ]
    return [*jars, *map(fetched, lacking)]


def _lacking_of_kafka(jars: Sequence[Path], names: set[str], class_name: str) -> list[Coordinate]:
    parts = next(
        (
            part
            for part in (_STREAMS, _COORDINATOR)
            if part.holder in names or _is_built_on(jars, class_name, part.prefix)
        ),
        _CLIENTS,
    )
    stated = next((text for jar in jars for name in VERSIONS for text in _read(jar, name)), b"").decode()
    version = re.search(r"version=(\S+)", stated)
    release = version[1] if version else newest(next(iter(parts.artifacts))).version
    lacking = [
        Coordinate(GROUP, artifact, release)
        for artifact, held in parts.artifacts.items()
        if held not in names and not (0, 0) < line(release) < parts.since.get(artifact, (0, 0))
    ]
    for coordinate in lacking:
        if coordinate.path not in digests():
            raise InputError(f"the jars lack {coordinate}, a release that is not known; name that jar too")
    return lacking


def _is_built_on(jars: Sequence[Path], class_name: str, prefix: str) -> bool:
    """Say whether a class has a prefix, or extends or implements one that has, be it by way of other classes of the jars."""
    if class_name.startswith(prefix):
        return True
    found = next((data for jar in jars for data in _read(jar, f"{class_name}.class")), b"")
    return any(_is_built_on(jars, name, prefix) for name in supertypes(found))


def _names(jar: Path) -> set[str]:
    """Return those of the names above that a jar or a folder of classes holds."""
    held = {name for parts in (_CLIENTS, _STREAMS, _COORDINATOR) for name in parts.artifacts.values()}
    wanted = {*held, SLF4J_CLASS, *LOGGERS}
    if jar.is_dir():
        return {name for name in wanted if (jar / name).is_file()}
    with _opened(jar) as archive:
        return wanted & set(archive.namelist())


def _read(jar: Path, name: str) -> list[bytes]:
    """Return the file of a name from a jar or a folder, none where it holds none."""
    if jar.is_dir():
        return [read_limited(jar / name)] if (jar / name).is_file() else []
    with _opened(jar) as archive:
        return [archive.read(name)] if name in archive.NameToInfo else []


def class_files(jar: Path) -> dict[str, bytes]:
    """Return the class files of a jar or a folder by the names of their classes, such as ``a/B``; raises InputError where it is neither."""
    if jar.is_dir():
        paths = sorted(jar.rglob("*.class"))
        refuse_larger(str(jar), sum(path.stat().st_size for path in paths))
        return {path.relative_to(jar).as_posix().removesuffix(".class"): read_limited(path) for path in paths}
    with _opened(jar) as archive:
        names = [
            name
            for name in archive.namelist()
            if name.endswith(".class") and not name.startswith("META-INF/")
        ]
        return {name.removesuffix(".class"): archive.read(name) for name in names}


@contextmanager
def _opened(jar: Path) -> Iterator[ZipFile]:
    """Open a jar; raises InputError if it is not one, or it or what is packed in it is larger than the limit."""
    try:
        if not jar.is_file() and jar.exists():  # a device may have no end
            raise InputError(f"{jar}: is not a file. Name a jar, or a folder of classes.")
        with ZipFile(jar) as archive:
            refuse_larger(str(jar), jar.stat().st_size)
            refuse_larger(f"{jar}: what is packed in it", sum(each.file_size for each in archive.infolist()))
            yield archive
    except FileNotFoundError:
        raise InputError(f"{jar}: there is no such file; name a jar, or a folder of classes") from None
    except (BadZipFile, OSError) as wrong:
        raise InputError(f"{jar}: is no jar ({wrong}); build or fetch it again") from None


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


__all__ = ["open_jar", "open_kafka", "open_maven"]
