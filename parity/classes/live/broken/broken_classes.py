"""The classes of Broken.java and BrokenStreams.java, compiled, as jar: targets."""

from functools import cache
from pathlib import Path

from kassay.targets import Options, Target
from kassay.targets.java import kafka_clients, newest_kafka, open_jar
from kassay.targets.java.releases import newest
from kassay.targets.maven.java_programs import compiled

CONSUMERS, STREAMS = "Broken", "BrokenStreams"


@cache
def folder(source: str = CONSUMERS) -> Path:
    """Return the folder with the classes of a source and nothing else."""
    streams = newest("kafka-streams")
    needed = [newest_kafka()] if source == CONSUMERS else [streams, kafka_clients(streams.version)]
    return compiled([Path(__file__).with_name(f"{source}.java")], needed)


def spec(name: str, source: str = CONSUMERS) -> str:
    """Write what names one of its classes."""
    return f"{folder(source)}#broken.{source}${name}"


def opened(name: str, timeout_s: float = 5.0, source: str = CONSUMERS) -> Target:
    """Open one of its classes."""
    return open_jar(f"jar:{name}", spec(name, source), Options(timeout_s))
