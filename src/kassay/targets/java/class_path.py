"""The jars a Java assignor runs with: those given, and what they lack of Kafka and of the logging it needs."""

from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from kassay.errors import InputError
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import fetched
from kassay.maven.pinned import versions

SLF4J_API = Coordinate("org.slf4j", "slf4j-api", "1.7.36")
SLF4J_NOP = Coordinate("org.slf4j", "slf4j-nop", "1.7.36")
KAFKA_CLASS = "org/apache/kafka/common/TopicPartition.class"
SLF4J_CLASS = "org/slf4j/Logger.class"
LOGGERS = {"org/slf4j/impl/StaticLoggerBinder.class", "META-INF/services/org.slf4j.spi.SLF4JServiceProvider"}


def kafka_clients(version: str) -> Coordinate:
    """Return the coordinate of the jar with Kafka's own assignors."""
    return Coordinate("org.apache.kafka", "kafka-clients", version)


def newest_kafka() -> Coordinate:
    """Return the newest release that kassay knows."""
    return kafka_clients(versions("org.apache.kafka", "kafka-clients")[-1])


def completed(jars: Sequence[Path]) -> list[Path]:
    """Add what the jars lack: the newest Kafka known, and a logger that says nothing.

    Raises InputError where one of them is neither a jar nor a folder of classes.
    """
    held = {name for jar in jars for name in _names(jar)}
    lacking = [
        coordinate
        for coordinate, names in (
            (newest_kafka(), {KAFKA_CLASS}),
            (SLF4J_API, {SLF4J_CLASS}),
            (SLF4J_NOP, LOGGERS),
        )
        if not held & names
    ]
    return [*jars, *map(fetched, lacking)]


def _names(jar: Path) -> set[str]:
    """Return those of the names above that a jar or a folder of classes holds."""
    wanted = {KAFKA_CLASS, SLF4J_CLASS, *LOGGERS}
    if jar.is_dir():
        return {name for name in wanted if (jar / name).is_file()}
    try:
        with ZipFile(jar) as archive:
            return wanted & set(archive.namelist())
    except FileNotFoundError:
        raise InputError(f"{jar}: there is no such file; name a jar, or a folder of classes") from None
    except (BadZipFile, OSError) as wrong:
        raise InputError(f"{jar}: is no jar ({wrong}); build or fetch it again") from None
