"""Hold our coordinator against Kafka's own: after each step of a sequence, answers, log, timers and group must be the same."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import side_by_side
from asking import Asking
from side_by_side import DifferenceError, Held, compare

from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator, read_choices, sort_key
from kassay.reference.group.behaviour import Behaviour, kafka
from kassay.reference.group.messages import Error
from kassay.targets.conversation import Conversation

OWN = sorted(Path(__file__).with_name("java").glob("*.java"))


def judge(release: str) -> Conversation:
    """Start the coordinators of a release."""
    return side_by_side.judge("kassay.Coordinators", OWN, "kafka-group-coordinator", release)


SESSION = "heartbeat-g-"
"""What the names of sessions' timers begin with."""


def hold(behaviour: Behaviour, sequence: dict[str, Any], kept: list[tuple[Any, Any]] | None = None) -> Held:
    """Yield what Kafka's coordinator is to be asked.

    The sequence has actions, or all that is `asked` already. What was asked and what was seen is added to `kept`, under our names of members.
    """
    held = StandaloneCoordinator(behaviour, sequence["settings"])
    asking = Asking(held)
    theirs: dict[str, str] = {}  # our ids of members -> Kafka's, which have random bits
    ours: dict[str, str] = {}
    asks = sequence["asked"] if "asked" in sequence else asking.all(sequence["actions"])
    for asked in asks:
        answer = yield {"settings": settings(sequence), **_translated(asked, theirs)}
        if asked["do"] == "join" and not asked["member"]:
            for new in _ids(answer) - ours.keys():
                name = f"{asked['instance'] or 'client'}-{held.coordinator.next_member}"
                ours[new], theirs[name] = name, new
                asking.ids.append(name)
        kafka = _plain(_translated(answer, ours))
        compare(asked, held.take(asked, **read_choices(kafka["group"])), kafka)
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
    answer["replies"].sort(key=sort_key)
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


def run(
    java: Conversation, release: str, sequences: list[dict[str, Any]]
) -> tuple[int, dict[int, DifferenceError]]:
    """Run sequences; return how many steps there were, and the differences by the number of the sequence."""
    return side_by_side.run(java, [hold(kafka(release), one) for one in sequences])


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
