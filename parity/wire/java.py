"""Kafka's own serializers, in a Java machine of their own."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kassay.targets.conversation import Conversation
from kassay.targets.java import SLF4J_API, SLF4J_NOP, SOURCES, SWITCHES, list_client_versions
from kassay.targets.java.releases import GROUP
from kassay.targets.maven.java_programs import compile_sources, find_java
from kassay.targets.maven.repository import Coordinate, fetch

NEWEST, NEWEST_OF_ALL = "4.4.0", "4.3.1"
"""The newest releases of kafka-clients, and of kafka-streams and connect-runtime, in Maven Central; these need clients of theirs."""
ONE_IDENTITY_HASH = ("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""Java orders partitions of one hash by these, where nine or more share a slot."""
IN_FLIGHT, LONGEST_S = 200, 60.0


def open_java(release: str) -> Conversation:
    """Start a Java machine with a release of kafka-clients; needs Java and, once, Maven Central."""
    here = Path(__file__).parent
    json = next(source for source in SOURCES if source.name == "Json.java")
    others = [
        Coordinate(GROUP, name, NEWEST_OF_ALL) for name in ("kafka-streams", "connect-runtime", "connect-api")
    ]
    kafka = [list_client_versions(release), *others]
    classes = compile_sources([json, *sorted(here.glob("*.java"))], kafka)
    jars = [fetch(jar) for jar in (*kafka, SLF4J_API, SLF4J_NOP)]
    return Conversation(
        find_java().command([classes, *jars], *SWITCHES, *ONE_IDENTITY_HASH, "kassay.Wire"), 0, 64
    )


def answers(java: Conversation, questions: Iterable[Any]) -> Iterator[Any]:
    """Ask some questions at a time, and return the answers in their order."""
    waiting = 0
    for question in questions:
        java.send(question)
        waiting += 1
        if waiting == IN_FLIGHT:
            yield from (java.receive(LONGEST_S) for _ in range(waiting))
            waiting = 0
    yield from (java.receive(LONGEST_S) for _ in range(waiting))
