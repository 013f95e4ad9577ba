"""Run sequences through both coordinators, many side by side, as one alone would mostly wait for the other process."""

from typing import Any

from against_kafka import DifferenceError, hold

from kassay.reference.group.behaviour import kafka
from kassay.targets.conversation import Conversation

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
