"""Hold our coordinator against Kafka's own, a process: after each step of a sequence, answers, log, timers and group must be the same.

Many sequences run side by side, as one alone would mostly wait for the other process.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

from asking import Asking

from kassay.maven.compiling import compiled, find_java
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import fetched
from kassay.maven.resolving import resolved
from kassay.reference.group.behaviour import Behaviour, kafka
from kassay.reference.group.messages import Error
from kassay.simulation.alone.coordinator import Held, by_token, chances
from kassay.targets.conversation import Conversation
from kassay.targets.java.class_path import SLF4J_API, SLF4J_NOP, kafka_clients
from kassay.targets.java.opening import SOURCES, SWITCHES

JSON = next(source for source in SOURCES if source.name == "Json.java")
OWN = sorted(Path(__file__).with_name("java").glob("*.java"))
LINE_MB = 16


def judge(release: str) -> Conversation:
    """Start the coordinators of a release; raises InputError or TargetGoneError without Java or jars."""
    classes = compiled([JSON, *OWN], [kafka_clients("3.9.2"), SLF4J_API])
    jars = resolved([Coordinate("org.apache.kafka", "kafka-group-coordinator", release)])
    command = find_java().command([classes, *jars, fetched(SLF4J_NOP)], *SWITCHES, "kassay.Coordinators")
    return Conversation(command, 0, LINE_MB)


SESSION = "heartbeat-g-"
"""What the names of sessions' timers begin with."""


class DifferenceError(Exception):
    """The two coordinators differ; the arguments are what was asked, our side and Kafka's."""


def hold(
    behaviour: Behaviour, sequence: dict[str, Any], kept: list[tuple[Any, Any]] | None = None
) -> Generator[dict[str, Any], Any, None]:
    """Yield what Kafka's coordinator is to be asked, and be sent its answers; raises DifferenceError at the first that is not ours.

    The sequence has actions, or all that is `asked` already. What was asked and what was seen is added to `kept`, under our names of members.
    """
    held = Held(behaviour, sequence["settings"])
    asking = Asking(held)
    theirs: dict[str, str] = {}  # our ids of members -> Kafka's, which have random bits
    ours: dict[str, str] = {}
    asks = sequence["asked"] if "asked" in sequence else asking.all(sequence["actions"])
    for asked in asks:
        answer = yield _translated(asked, theirs)
        if asked["do"] == "join" and not asked["member"]:
            for new in _ids(answer) - ours.keys():
                name = f"{asked['instance'] or 'client'}-{held.coordinator.next_member}"
                ours[new], theirs[name] = name, new
                asking.ids.append(name)
        kafka = _plain(_translated(answer, ours))
        found = held.take(asked, **chances(kafka["group"]))
        if found != kafka:
            parts = [part for part in found if found[part] != kafka[part]]
            raise DifferenceError(
                asked, {part: found[part] for part in parts}, {part: kafka[part] for part in parts}
            )
        if kept is not None:
            kept.append((asked, kafka))


def _ids(answer: dict[str, Any]) -> set[str]:
    """Return the ids of members that an answer names."""
    told = {
        reply["member"] for _, reply in answer["replies"] if reply["error"] == Error.MEMBER_ID_REQUIRED.value
    }
    return told | {key.removeprefix(SESSION) for key in answer["timers"] if key.startswith(SESSION)}


def _plain(answer: dict[str, Any]) -> dict[str, Any]:
    """Put in order what is in a random one."""
    answer["replies"].sort(key=by_token)
    if answer["group"]:
        answer["group"]["pending"].sort()
        answer["group"]["unsynced"].sort()
    return answer


def _translated(value: Any, names: dict[str, str]) -> Any:
    """Return JSON with other names of members."""
    if isinstance(value, str):
        if value.startswith(SESSION):
            return SESSION + names.get(value[len(SESSION) :], value)
        return names.get(value, value)
    if isinstance(value, dict):
        return {_translated(key, names): _translated(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_translated(one, names) for one in value]
    return value


LONGEST_S = 60.0


def run(
    java: Conversation, release: str, sequences: list[dict[str, Any]]
) -> tuple[int, dict[int, DifferenceError]]:
    """Run sequences; return how many steps there were, and the differences by the number of the sequence."""
    steps, differences = 0, {}
    running = {}
    for number, one in enumerate(sequences):
        held = hold(kafka(release), one)
        java.send({"n": number, "settings": settings(one), **next(held)})
        running[number] = held
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
    for number in range(len(sequences)):
        java.ask({"n": number, "do": "forget"}, LONGEST_S)
    return steps, differences


def settings(sequence: dict[str, Any]) -> dict[str, str]:
    """Return the broker's settings that a sequence is to run under."""
    chosen = sequence["settings"]
    found = {"group.initial.rebalance.delay.ms": str(chosen["delay"])}
    return found | ({"group.max.size": str(chosen["max"])} if chosen["max"] else {})


def smallest(java: Conversation, release: str, sequence: dict[str, Any]) -> dict[str, Any]:
    """Take actions out of a sequence as long as what is left goes differently."""
    actions, at = sequence["actions"], 0
    while at < len(actions):
        fewer = [*actions[:at], *actions[at + 1 :]]
        if run(java, release, [sequence | {"actions": fewer}])[1]:
            actions = fewer
        else:
            at += 1
    return sequence | {"actions": actions}
