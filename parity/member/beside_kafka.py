"""Hold our member against Kafka's own, a process, on one sequence: after each step, requests, what the application hears, and the member must be the same."""

import random
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

from happenings import Happenings, settings

from kassay.maven.compiling import compiled, find_java
from kassay.maven.fetching import Coordinate, fetched
from kassay.maven.resolving import resolved
from kassay.simulation.alone.member import Alone
from kassay.targets.conversation import Conversation
from kassay.targets.java.class_path import SLF4J_API, SLF4J_NOP, kafka_clients
from kassay.targets.java.opening import SOURCES, SWITCHES

LONGEST_S = 60.0
METADATA = "cached metadata has changed"
"""Why a member of Kafka's joins again that compares metadata of different times; ours watches what its group reads now."""
ENDED: list[Any] = [["ended"]]
"""What is kept of a step in which only Kafka's joins for that reason; the sequence ends there."""
Sequence = tuple[dict[str, Any], Iterable[dict[str, Any]], Alone]
"""Settings, what happens, and our member."""
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


class DifferenceError(Exception):
    """The two members differ; the arguments are what was asked, our side and Kafka's."""


def hold(sequence: Sequence, kept: list[Any]) -> Generator[dict[str, Any], Any, None]:
    """Yield what Kafka's member is to be told, and be sent its answers; raises DifferenceError at the first that is not ours.

    What was asked and what was seen is added to `kept`.
    """
    settings, asks, alone = sequence
    for asked in asks:
        answer = yield {"settings": settings, **asked}
        if "broken" in answer:
            raise DifferenceError(asked, {}, answer)
        reasons = [one.pop("reason") for one in answer["sent"] if one["kind"] == "join"]
        answer["commits"] = [one for one in answer["heard"] if "committed" in one[0]]
        answer["heard"] = [one for one in answer["heard"] if "committed" not in one[0]]
        kafka, ours = plain(answer, asked), plain(alone.take(asked), asked)
        if ours != kafka and reasons == [METADATA] and not ours.get("sent"):
            kept.append(ENDED)
            return
        if ours != kafka:
            parts = [part for part in ours if ours[part] != kafka.get(part)]
            raise DifferenceError(
                asked, {part: ours[part] for part in parts}, {part: kafka.get(part) for part in parts}
            )
        kept.append([asked, kafka])


def plain(seen: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is compared: of a member that has failed only that, of one that is closed what it said."""
    if seen["failure"] is not None:
        return {"failed": True}
    told = {
        "sent": sorted((one for one in seen["sent"] if one["kind"] != "find"), key=repr),
        "heard": seen["heard"],
    }
    if asked["do"] == "close":
        return told
    told["commits"] = seen["commits"]
    state = seen["state"] if seen["state"] in ("STABLE", "COMPLETING_REBALANCE") else None
    return {
        **told,
        "state": state,
        **{part: seen[part] for part in ("generation", "member", "knows", "owned")},
    }


def drawn(seed: str, most: int, step: Callable[[Any, Any], Any] | None = None) -> Sequence:
    """Return a random sequence, perhaps for a member with another step."""
    rng = random.Random(seed)
    chosen = settings(rng)
    alone = Alone(chosen, step)
    return chosen, Happenings(rng, alone, most), alone


def run(java: Conversation, sequences: list[Sequence]) -> tuple[list[list[Any]], dict[int, DifferenceError]]:
    """Run sequences side by side; return the steps of each, and the differences by the number of the sequence."""
    steps: list[list[Any]] = [[] for _ in sequences]
    differences, running = {}, {}
    for number, sequence in enumerate(sequences):
        held = hold(sequence, steps[number])
        java.send({"n": number, **next(held)})
        running[number] = held
    while running:
        for number, held in list(running.items()):
            try:
                java.send({"n": number, **held.send(java.receive(LONGEST_S))})
            except StopIteration:
                del running[number]
            except DifferenceError as difference:
                differences[number] = difference
                del running[number]
    for number in range(len(sequences)):
        java.ask({"n": number, "do": "forget"}, LONGEST_S)
    return steps, differences
