"""Hold our member against Kafka's own on one sequence: after each step, requests, what the application hears, and the member must be the same."""

import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import side_by_side
from happenings import Happenings, settings
from side_by_side import DifferenceError, Held, compare

from kassay.protocol.simulation.standalone_member import StandaloneMember
from kassay.targets.conversation import Conversation

METADATA = "cached metadata has changed"
"""Why a member of Kafka's joins again that compares metadata of different times; ours watches what its group reads now."""
ENDED: list[Any] = [["ended"]]
"""What is kept of a step in which only Kafka's joins for that reason; the sequence ends there."""
Sequence = tuple[dict[str, Any], Iterable[dict[str, Any]], StandaloneMember]
"""Settings, what happens, and our member."""
HERE = Path(__file__).parent
OWN = [HERE.parent / "coordinator" / "java" / "Reflected.java", *sorted((HERE / "java").glob("*.java"))]


def judge(release: str) -> Conversation:
    """Start the members of a release."""
    return side_by_side.judge("kassay.Members", OWN, "kafka-clients", release)


def hold(sequence: Sequence, kept: list[Any]) -> Held:
    """Yield what Kafka's member is to be told; what was asked and what was seen is added to `kept`."""
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
        compare(asked, ours, kafka)
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
    alone = StandaloneMember(chosen, step)
    return chosen, Happenings(rng, alone, most), alone


def run(java: Conversation, sequences: list[Sequence]) -> tuple[list[list[Any]], dict[int, DifferenceError]]:
    """Run sequences side by side; return the steps of each, and the differences by the number of the sequence."""
    steps: list[list[Any]] = [[] for _ in sequences]
    _, differences = side_by_side.run(java, map(hold, sequences, steps))
    return steps, differences
