"""Kafka's own coordinators as a process that is told, line by line, what happens to each of them."""

from pathlib import Path

from kassay.maven.compiling import compiled
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import fetched
from kassay.maven.machine import find_java
from kassay.maven.resolving import resolved
from kassay.targets.conversation import Conversation
from kassay.targets.java.class_path import SLF4J_API, SLF4J_NOP, kafka_clients
from kassay.targets.java.running import SOURCES, SWITCHES

JSON = next(source for source in SOURCES if source.name == "Json.java")
OWN = sorted(Path(__file__).with_name("java").glob("*.java"))
LINE_MB = 16


def judge(release: str) -> Conversation:
    """Start the coordinators of a release; raises InputError or TargetGoneError without Java or jars."""
    classes = compiled([JSON, *OWN], [kafka_clients("3.9.2"), SLF4J_API])
    jars = resolved([Coordinate("org.apache.kafka", "kafka-group-coordinator", release)])
    command = find_java().command([classes, *jars, fetched(SLF4J_NOP)], *SWITCHES, "kassay.Coordinators")
    return Conversation(command, 0, LINE_MB)
