"""Java assignor classes as targets: from Maven repositories, from Kafka's own releases, from local jars.

Each target is a Java process of its own with the few classes in the folder ``adapter``, which have the adapter protocol. So one run can
compare releases, and a class may hang or end its process. Each group goes to a fresh instance, unless a timeline
is played on one. Members and topics are in the group's order,
and each list of the answer is in the class's order.

A class gets the information that its release can have:

- 2.2 and 2.3 (``internals.PartitionAssignor``): subscriptions, and user data.
- from 2.4 on (``ConsumerPartitionAssignor``): what members own, and their instance ids, too.
- from 3.4 on: the generation and the rack of members, too. The racks of replicas are in the metadata of every release, but assignors
  ignore them before 3.5.

Task assignors of Kafka Streams, Kafka's own and users', are driven through the interface that they implement:

- 3.3 to 3.7 (``internals.assignment.TaskAssignor``): clients by UUID; from 3.6 on racks, too. A strategy that a release does not
  know is declined there.
- from 3.8 on (``internals.assignment.LegacyTaskAssignor``): clients by ProcessId.
- from 3.8 on (``assignment.TaskAssignor``, KIP-924): the whole application. As in each of Kafka's rebalances, the class is configured anew
  for each group, with application.id, the group's settings and the tags of its first client.

Server-side assignors are driven through the interface that they implement:

- 3.6 and 3.7 (``coordinator.group.assignor.PartitionAssignor``): consumer groups.
- from 3.8 on (``coordinator.group.api.assignor``): consumer groups by ConsumerGroupPartitionAssignor, from 3.9 on share groups by
  ShareGroupPartitionAssignor. Instance ids are told from 3.9 on, which partitions may be given from 4.1 on.

Topics come with their ids. Subscriptions to topics that do not exist are passed on, which a coordinator would leave out. The partitions that
members own are maps and sets in the group's order. Answers are sets: they are written by topic in the group's order, then by number.

Connect's two assignors are driven from 3.3 on, each round by itself. The eager one is driven by the bytes of its protocol. The incremental one
is driven by its method for one round: a fresh object gets the kept state of the group in its fields. Workers are in a HashMap.

Clients and tasks are put into Java's hash maps and sets in the group's order. Racks that the group does not name are unknown to the cluster.

A member's user data are written by an instance of its own after `onAssignment` with the partitions that it owns. User data of StickyAssignor
are written here, with the claims in the group's order. A class that is Configurable gets group.id, and for a member its client.rack and
group.instance.id.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from kassay.errors import InputError
from kassay.input_size import read_limited, refuse_larger
from kassay.reference import ASSIGNORS
from kassay.sentences import find_nearest
from kassay.targets.java.releases import COORDINATORS, GROUP, KAFKA, Line, Own, find_line, find_newest
from kassay.targets.maven.java_programs import compile_sources, find_java, resolve_class_path
from kassay.targets.maven.repository import Coordinate, compute_digests, fetch
from kassay.targets.program import open_command
from kassay.targets.reference import find_reference
from kassay.targets.target import Options, Target

# Class files (Java Virtual Machine Specification, 4): the classes that a class is built on.

MAGIC = b"\xca\xfe\xba\xbe"
_UTF8, _CLASS_REFERENCE = 1, 7
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, _CLASS_REFERENCE: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}  # fmt: skip
"""Tag of a constant -> its bytes (4.4)."""
_WIDE = {5, 6}
"""The tags of constants that take two numbers: long and double."""
_PUBLIC, _INTERFACE, _ABSTRACT = 0x1, 0x200, 0x400


def read_supertypes(data: bytes) -> list[str]:
    """Return the superclass and the interfaces of a class file, such as ``java/lang/Object``; [] if it is not a whole class file.

    Java reports the defect when it loads the file.
    """
    return _parse_class(data)[1]


def _parse_class(data: bytes) -> tuple[int, list[str]]:
    """Return the flags and the supertypes of a class file; none if it is not a whole one."""

    def short(at: int) -> int:
        return data[at] << 8 | data[at + 1]

    if data[:4] != MAGIC:
        return 0, []
    texts: dict[int, str] = {}
    classes: dict[int, int] = {}
    try:
        at, number = 10, 1
        while number < short(8):
            tag = data[at]
            if tag == _UTF8:
                size = 2 + short(at + 1)
                texts[number] = data[at + 3 : at + 1 + size].decode("utf-8", "replace")
            else:
                size = _SIZES[tag]
                if tag == _CLASS_REFERENCE:
                    classes[number] = short(at + 1)
            at += 1 + size
            number += 2 if tag in _WIDE else 1
        named = [short(at + 4), *(short(at + 8 + 2 * n) for n in range(short(at + 6)))]
        return short(at), [texts[classes[number]] for number in named if number]
    except (IndexError, KeyError):
        return 0, []


# The class path: the given jars, and what they lack of Kafka and of the logging it needs.

_KAFKA = "org/apache/kafka/"
SLF4J_API = Coordinate("org.slf4j", "slf4j-api", "1.7.36")
SLF4J_NOP = Coordinate("org.slf4j", "slf4j-nop", "1.7.36")
KAFKA_CLASS = f"{_KAFKA}common/TopicPartition.class"
STREAMS_CLASS = f"{_KAFKA}streams/KafkaStreams.class"
VERSIONS = ("kafka/kafka-version.properties", "kafka/kafka-streams-version.properties")
"""The files of a jar that name its release."""
SLF4J_CLASS = "org/slf4j/Logger.class"
LOGGERS = {"org/slf4j/impl/StaticLoggerBinder.class", "META-INF/services/org.slf4j.spi.SLF4JServiceProvider"}


@dataclass(frozen=True, slots=True)
class Parts:
    """The artifacts of Kafka that a class of a package needs."""

    prefix: str
    artifacts: Mapping[str, str]
    """The artifacts, the one with the package first, each with one of its classes."""
    since: Mapping[str, Line] = field(default_factory=dict, hash=False)
    """The first line of releases with an artifact, if that is newer than the package."""


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


def list_client_versions(version: str) -> Coordinate:
    """Return the coordinate of Kafka's own assignors of consumers."""
    return Coordinate(GROUP, "kafka-clients", version)


def find_newest_kafka() -> Coordinate:
    """Return the newest release of Kafka's assignors of consumers that kassay knows."""
    return find_newest("kafka-clients")


def complete_spec(jars: Sequence[Path], class_name: str = "") -> list[Path]:
    """Add what the jars lack for a class: Kafka, with Streams or the group coordinator if it is built on that, and a silent logger.

    Kafka is of the release of which the jars have a part, or else the newest known one. Raises InputError if that release is not known, or
    one of the jars is neither a jar nor a folder of classes.
    """
    wanted = {name for parts in (_CLIENTS, _STREAMS, _COORDINATOR) for name in parts.artifacts.values()}
    wanted |= {SLF4J_CLASS, *LOGGERS}
    names: set[str] = set()
    for jar in jars:
        if jar.is_dir():
            names.update(name for name in wanted if (jar / name).is_file())
        else:
            with _open_jar_file(jar) as archive:
                names.update(wanted & set(archive.namelist()))
    lacking = [
        *_find_lacking_parts(jars, names, class_name.replace(".", "/")),
        *([] if SLF4J_CLASS in names else [SLF4J_API]),
        *([] if LOGGERS & names else [SLF4J_NOP]),
    ]
    return [*jars, *map(fetch, lacking)]


def _find_lacking_parts(jars: Sequence[Path], names: set[str], class_name: str) -> list[Coordinate]:
    parts = _CLIENTS
    for part in (_STREAMS, _COORDINATOR):
        if next(iter(part.artifacts.values())) in names or _is_built_on(jars, class_name, part.prefix):
            parts = part
            break
    stated = next((text for jar in jars for name in VERSIONS for text in _read(jar, name)), b"").decode()
    version = re.search(r"version=(\S+)", stated)
    release = version[1] if version else find_newest(next(iter(parts.artifacts))).version
    lacking = [
        Coordinate(GROUP, artifact, release)
        for artifact, held in parts.artifacts.items()
        if held not in names and not (0, 0) < find_line(release) < parts.since.get(artifact, (0, 0))
    ]
    for coordinate in lacking:
        if coordinate.path not in compute_digests():
            raise InputError(
                f"class path: {coordinate} is missing, and its release is not known. Name that jar too"
            )
    return lacking


def _is_built_on(jars: Sequence[Path], class_name: str, prefix: str) -> bool:
    """Return True if a class has a prefix, or extends or implements one that has, possibly by way of other classes of the jars."""
    if class_name.startswith(prefix):
        return True
    found = next((data for jar in jars for data in _read(jar, f"{class_name}.class")), b"")
    return any(_is_built_on(jars, name, prefix) for name in read_supertypes(found))


def _read(jar: Path, name: str) -> list[bytes]:
    """Return the file with a name in a jar or a folder, [] if there is none."""
    if jar.is_dir():
        return [read_limited(jar / name)] if (jar / name).is_file() else []
    with _open_jar_file(jar) as archive:
        return [archive.read(name)] if name in archive.NameToInfo else []


@contextmanager
def _open_jar_file(jar: Path) -> Iterator[ZipFile]:
    """Open a jar; raises InputError if it is not one, or it or its unpacked content is larger than the limit."""
    try:
        if not jar.is_file() and jar.exists():  # such as a device, which may have no end
            raise InputError(f"{jar}: is not a file. Name a jar, or a folder of classes.")
        with ZipFile(jar) as archive:
            refuse_larger(str(jar), jar.stat().st_size)
            refuse_larger(f"{jar}: what is packed in it", sum(each.file_size for each in archive.infolist()))
            yield archive
    except FileNotFoundError:
        raise InputError(f"{jar}: there is no such file. Name a jar, or a folder of classes") from None
    except (BadZipFile, OSError) as wrong:
        raise InputError(f"{jar}: is no jar ({wrong}). Build or fetch it again") from None


_CLASS = re.compile(r"[\w$]+(\.[\w$]+)*")


def open_kafka(spec: str, rest: str, options: Options) -> Target:
    """Open ``VERSION#consumer/range``: an assignor of a Kafka release, with the promises of the reference of that name.

    Raises InputError if there is no such release or assignor, and TargetGoneError if it cannot be fetched.
    """
    version, _, name = rest.partition("#")
    with _describe_choice(spec):
        if name not in KAFKA:
            near = find_nearest(name, KAFKA) or next(iter(KAFKA))
            raise InputError(
                f"assignor {name or 'without a name'}: Kafka has none of this name. Write kafka:{version or 'VERSION'}#{near}, or another one of kassay list"
            )
        class_name = KAFKA[name].class_name(version)
        jars = _fetch_release(KAFKA[name], version, class_name)
        command = build_command(jars, class_name, options.timeout_s)
    target = _open_adapter(spec, command, options)
    reference = ASSIGNORS[name]
    return replace(
        target,
        promises=reference.promises,
        except_in=reference.except_in,
        reference=find_reference(f"{name}@{version}", reference.except_in),
        limits=reference.limits,
        slow=reference.slow,
    )


def open_maven(spec: str, rest: str, options: Options) -> Target:
    """Open ``GROUP:ARTIFACT:VERSION[+GROUP:ARTIFACT:VERSION...]#CLASS``; raises as :func:`open_kafka` does."""
    place, class_name = _split(spec, rest, "maven:GROUP:ARTIFACT:VERSION#CLASS")
    with _describe_choice(spec):
        jars = complete_spec(
            resolve_class_path([Coordinate.parse(part) for part in place.split("+")]), class_name
        )
        command = build_command(jars, class_name, options.timeout_s)
    return _open_adapter(spec, command, options)


def open_jar(spec: str, rest: str, options: Options) -> Target:
    """Open ``PATH[:PATH...]#CLASS``, of jars and folders of classes; raises InputError for other paths.

    If the class is missing, the error lists the assignors of the jar.
    """
    if "#" not in rest and os.pathsep not in rest:
        with _describe_choice(spec):
            raise describe_missing_class(rest)
    place, class_name = _split(spec, rest, "jar:PATH[:PATH...]#CLASS")
    with _describe_choice(spec):
        jars = complete_spec([Path(path) for path in place.split(os.pathsep)], class_name)
        command = build_command(jars, class_name, options.timeout_s)
    return _open_adapter(spec, command, options)


def _fetch_release(own: Own, version: str, class_name: str) -> list[Path]:
    jars = own.needs(version)
    if all(jar.path in compute_digests() for jar in jars):
        return list(map(fetch, [*jars, SLF4J_API, SLF4J_NOP]))
    try:  # 3.8.0 is not pinned: its consumers' settings need zstd-jni, which is resolved with it
        return complete_spec(resolve_class_path(jars), class_name)
    except InputError as wrong:
        known = own.versions()
        raise InputError(f"{wrong}. Give a release from {known[0]} to {known[-1]}") from None


def _split(spec: str, rest: str, form: str) -> tuple[str, str]:
    place, _, class_name = rest.partition("#")
    if not place or not _CLASS.fullmatch(class_name):
        raise InputError(f"target {spec!r}: names no class. Write {form}")
    return place, class_name


def _open_adapter(spec: str, command: list[str], options: Options) -> Target:
    # Java limits its memory itself, since it reserves more than it uses. There is one assignor, of any name.
    return open_command(
        spec, command, replace(options, assignor=None, limits=replace(options.limits, memory_mb=0))
    )


@contextmanager
def _describe_choice(spec: str) -> Iterator[None]:
    """Add the target to an InputError."""
    try:
        yield
    except InputError as wrong:
        if wrong.copy:  # it names the target itself
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
"""Releases that together have all interfaces, so that one compilation serves all releases."""

SWITCHES = (
    "-Xmx1g",
    "-XX:-OmitStackTraceInFastThrow",  # otherwise frequent exceptions lose message and stack
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+ErrorFileToStderr",
    "-XX:OnError=echo the Java machine itself crashed",
    "-Djava.awt.headless=true",
)
APART = ("/bin/sh", "-c", 'exec "$@" 3>&1 1>&2', "sh")
"""Answers go to descriptor 3, so that output of Java or native code does not mix with them."""

WARNING = 0.9
"""The share of the time limit after which the process reports its stack, for the verdict."""


def build_command(class_path: list[Path], class_name: str, timeout_s: float) -> list[str]:
    """Return the command that answers requests about a class; raises InputError or TargetGoneError without Java or jars."""
    classes = compile_sources(SOURCES, INTERFACES)
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
"""Kafka's interfaces of assignors, and the classes of assignors that can be extended."""
MOST = 3
"""The assignors of a jar that are listed."""


def find_assignors(jar: Path) -> list[str]:
    """Return the names of the assignor classes in a jar or a folder of classes, sorted; raises InputError if it is neither."""
    if jar.is_dir():
        paths = sorted(jar.rglob("*.class"))
        refuse_larger(str(jar), sum(path.stat().st_size for path in paths))
        data = {path.relative_to(jar).as_posix(): read_limited(path) for path in paths}
    else:
        with _open_jar_file(jar) as archive:
            names = [name for name in archive.namelist() if name.endswith(".class")]
            data = {name: archive.read(name) for name in names if not name.startswith("META-INF/")}
    classes = {name.removesuffix(".class"): _parse_class(one) for name, one in data.items()}

    def is_assignor(name: str, seen: frozenset[str] = frozenset()) -> bool:
        # It may be built on an assignor by way of other classes of the jar.
        if name in _BUILT_ON or name in seen or name not in classes:
            return name in _BUILT_ON
        return any(is_assignor(each, seen | {name}) for each in classes[name][1])

    found = [
        name
        for name, (flags, _) in classes.items()
        if flags & (_PUBLIC | _INTERFACE | _ABSTRACT) == _PUBLIC and is_assignor(name)
    ]
    # A jar may have a whole Kafka packed into it.
    own = [name for name in found if not name.startswith(_KAFKA)]
    return sorted(name.replace("/", ".") for name in own or found)


def describe_missing_class(path: str) -> InputError:
    """Return the error for a jar without a class of it: the list of its assignors, and the command that checks one."""
    names = find_assignors(Path(path))
    if not names:
        return InputError(
            f"{path} has no assignor that could be checked. Write jar:PATH#CLASS with a jar that has one"
        )
    command = [f"kassay check jar:{path}#{names[0]}"]
    if len(names) == 1:
        return InputError(f"{path} has one assignor, {names[0]}. Check it:", command)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return InputError(
        f"{path} has {len(names)} assignors: {', '.join(names[:MOST])}{more}. Check one:", command
    )
