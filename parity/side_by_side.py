"""Hold machines of ours against Kafka's, in a Java process: many sequences side by side, as one alone would mostly wait for the other process."""

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from kassay.targets.conversation import Conversation
from kassay.targets.java import SLF4J_API, SLF4J_NOP, SOURCES, SWITCHES, list_client_versions
from kassay.targets.maven.java_programs import compile_sources, find_java, resolve_class_path
from kassay.targets.maven.repository import Coordinate, fetch

JSON = next(source for source in SOURCES if source.name == "Json.java")
LINE_MB, LONGEST_S = 16, 60.0


class DifferenceError(Exception):
    """The two sides differ; the arguments are what was asked, our side and Kafka's."""


Held = Generator[dict[str, Any], Any, None]
"""Yields what Kafka's side is to be asked, and is sent its answers; raises DifferenceError at the first that is not ours."""


def judge(program: str, sources: Iterable[Path], artifact: str, release: str) -> Conversation:
    """Start Kafka's side of a release; raises InputError or TargetGoneError without Java or jars."""
    classes = compile_sources([JSON, *sources], [list_client_versions("3.9.2"), SLF4J_API])
    jars = resolve_class_path([Coordinate("org.apache.kafka", artifact, release)])
    return Conversation(
        find_java().command([classes, *jars, fetch(SLF4J_NOP)], *SWITCHES, program), 0, LINE_MB
    )


def compare(asked: dict[str, Any], ours: dict[str, Any], kafka: dict[str, Any]) -> None:
    """Raise DifferenceError with the parts of a step in which the two sides differ."""
    if ours != kafka:
        parts = [part for part in ours if ours[part] != kafka.get(part)]
        raise DifferenceError(
            asked, {part: ours[part] for part in parts}, {part: kafka.get(part) for part in parts}
        )


def run(java: Conversation, sequences: Iterable[Held]) -> tuple[int, dict[int, DifferenceError]]:
    """Run sequences; return how many steps there were, and the differences by the number of the sequence."""
    running = dict(enumerate(sequences))
    for number, held in running.items():
        java.send({"n": number, **next(held)})
    steps, begun, differences = 0, len(running), {}
    while running:
        for number, held in list(running.items()):
            steps += 1
            try:
                java.send({"n": number, **held.send(java.receive(LONGEST_S))})
            except StopIteration:
                del running[number]
            except DifferenceError as difference:
                differences[number] = difference
                del running[number]
    for number in range(begun):
        java.ask({"n": number, "do": "forget"}, LONGEST_S)
    return steps, differences
