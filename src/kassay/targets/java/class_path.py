"""The jars a Java assignor runs with: those given, and what they lack of Kafka and of the logging it needs.

What a compiled Java class says of itself: the classes that it is built on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from kassay.errors import InputError
from kassay.input_size import read_limited, refuse_larger
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import fetched
from kassay.maven.pinned import digests
from kassay.targets.java.releases import COORDINATORS, GROUP, Line, line, newest

MAGIC = b"\xca\xfe\xba\xbe"
_CLASS, _UTF8 = 7, 1
_SIZES = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    _CLASS: 2,
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
            if tag == _CLASS:
                classes[number] = _short(data, at + 1)
        at += 1 + size
        number += 2 if tag in _WIDE else 1
    count = _short(data, at + 6)
    named = [_short(data, at + 4), *(_short(data, at + 8 + 2 * n) for n in range(count))]
    return _short(data, at), [texts[classes[number]] for number in named if number]


def _short(data: bytes, at: int) -> int:
    return data[at] << 8 | data[at + 1]


SLF4J_API = Coordinate("org.slf4j", "slf4j-api", "1.7.36")
SLF4J_NOP = Coordinate("org.slf4j", "slf4j-nop", "1.7.36")
_KAFKA = "org/apache/kafka/"
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
