"""The classes of Broken.java and BrokenStreams.java, compiled, as jar: targets."""

from functools import cache
from pathlib import Path

from kassay.targets import Options, Target
from kassay.targets.java import find_newest_kafka, list_client_versions, open_jar
from kassay.targets.java.releases import find_newest
from kassay.targets.maven.java_programs import compile_sources

CONSUMERS, STREAMS = "Broken", "BrokenStreams"


@cache
def folder(source: str = CONSUMERS) -> Path:
    """Return the folder with the classes of a source and nothing else."""
    streams = find_newest("kafka-streams")
    needed = (
        [find_newest_kafka()] if source == CONSUMERS else [streams, list_client_versions(streams.version)]
    )
    return compile_sources([Path(__file__).with_name(f"{source}.java")], needed)


def spec(name: str, source: str = CONSUMERS) -> str:
    """Write what names one of its classes."""
    return f"{folder(source)}#broken.{source}${name}"


def opened(name: str, timeout_s: float = 5.0, source: str = CONSUMERS) -> Target:
    """Open one of its classes."""
    return open_jar(f"jar:{name}", spec(name, source), Options(timeout_s))
