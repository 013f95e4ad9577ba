"""Kafka's own members as a process that is told, line by line, what happens to each of them."""

from pathlib import Path

from kassay.maven.compiling import compiled, find_java
from kassay.maven.fetching import Coordinate, fetched
from kassay.maven.resolving import resolved
from kassay.targets.conversation import Conversation
from kassay.targets.java.class_path import SLF4J_API, SLF4J_NOP, kafka_clients
from kassay.targets.java.opening import SOURCES, SWITCHES

HERE = Path(__file__).parent
SHARED = [
    *(source for source in SOURCES if source.name == "Json.java"),
    HERE.parent / "coordinator" / "java" / "Reflected.java",
]
OWN = sorted((HERE / "java").glob("*.java"))
LINE_MB = 16


def judge(release: str) -> Conversation:
    """Start the members of a release; raises InputError or TargetGoneError without Java or jars."""
    classes = compiled([*SHARED, *OWN], [kafka_clients("3.9.2"), SLF4J_API])
    jars = resolved([Coordinate("org.apache.kafka", "kafka-clients", release)])
    command = find_java().command([classes, *jars, fetched(SLF4J_NOP)], *SWITCHES, "kassay.Members")
    return Conversation(command, 0, LINE_MB)
