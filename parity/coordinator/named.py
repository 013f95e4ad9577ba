"""Short sequences with names, one for each way in which the proposal and Kafka differ, and what is told of how they go.

The first action forms the group; of the rest it is told how each request was answered and what the group is in the end.
"""

from typing import Any

from asking import Asking

from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import UNREADABLE, Error

Action = dict[str, Any]
Step = tuple[dict[str, Any], dict[str, Any]]
"""What was asked, and what was seen then."""
SETTINGS = {"delay": 3_000, "max": None}
PROTOCOLS = [["range", "m"], ["sticky", "m"]]
WRITTEN = {"outcome": "now"}


def form(members: int = 2, until: str = "Stable", **more: Any) -> Action:
    """Let members join until the group is in a state."""
    return {"do": "form", "members": members, "until": until, **WRITTEN, **more}


def ask(do: str, who: str | int | None = "follower", **more: Any) -> Action:
    """Let the leader, a follower, or a new member (None) ask something."""
    kinds: dict[str, Action] = {
        "join": {
            "session": 10_000,
            "rebalance": 20_000,
            "type": "consumer",
            "protocols": PROTOCOLS,
            "version": 9,
        },
        "sync": {"generation": 0, "protocol": None},
        "heartbeat": {"generation": 0},
        "commit": {"generation": 0},
        "leave": {"members": [{"who": who, "instance": None, "own": True}]},
    }
    return {"do": do, "who": who, "instance": None, "own": True, **WRITTEN, **kinds[do], **more}


def fail_over() -> Action:
    """Let the node of the coordinator crash."""
    return {"do": "fail over", "crashes": True, "kept": 0, **WRITTEN}


def wait(ms: int) -> Action:
    """Let time pass."""
    return {"do": "wait", "ms": ms, **WRITTEN}


def late() -> Action:
    """Let the log take too long over the oldest batch."""
    return {"do": "timed out", **WRITTEN}


def written() -> Action:
    """Let the log commit the oldest batch."""
    return {"do": "written", **WRITTEN}


POISON = [["range", UNREADABLE]]
CHANGED = {"protocols": [["range", "n"], ["sticky", "n"]]}
TOLD: dict[str, list[Action]] = {
    "the first member of a group joins": [form(0), ask("join", None)],
    "the first member of a group joins, and needs no id first (below version 4)": [
        form(0),
        ask("join", None, version=3),
    ],
    "a heartbeat while the leader's states are awaited": [form(until="AwaitSync"), ask("heartbeat")],
    "a follower joins again with nothing changed, in Stable": [form(), ask("join")],
    "a follower joins again with nothing changed, in AwaitSync": [form(until="AwaitSync"), ask("join")],
    "the leader of a stable group synchronises again": [
        form(), ask("sync", "leader"), ask("heartbeat"), ask("sync"),
    ],
    "the leader sends an error in SyncGroup, a follower waits": [
        form(until="AwaitSync"), ask("sync"), ask("sync", "leader", error="ASSIGNMENT_FAILED"),
    ],
    "the node fails in the join phase": [form(), ask("join", **CHANGED), fail_over(), ask("heartbeat")],
    "the node fails when the members are told, and the leader synchronises": [
        form(until="AwaitSync"), fail_over(), ask("sync", "leader"),
    ],
    "the node fails when members of a later generation are told": [
        form(), ask("join", **CHANGED), ask("join", "leader"), fail_over(), ask("sync", "leader"), ask("join", **CHANGED),
        ask("join", "leader"),
    ],
    "the node fails in Stable, and a follower synchronises": [form(), fail_over(), ask("sync")],
    "a static member comes back without its id, in Stable": [form(static=True), ask("join", None, instance="j")],
    "a member does not join a rebalance for 11 seconds, its session being 10": [
        form(), ask("join", **CHANGED), wait(5_000), ask("heartbeat", "leader"), wait(6_000),
    ],
    "a member joins whose metadata cannot be read": [
        form(1), ask("join", None, protocols=POISON), ask("join", 0, protocols=POISON), ask("heartbeat", "leader"), ask("join", "leader"),
        ask("heartbeat", "leader", generation=-1), ask("join", "leader"), wait(21_000), ask("leave", "follower"),
    ],
    "a follower does not synchronise for 20 seconds, but sends heartbeats": [
        form(until="AwaitSync"), ask("sync", "leader"),
        *(action for _ in range(4) for action in (wait(5_000), ask("heartbeat", "leader"), ask("heartbeat", 1, own=False))),
    ],
}  # fmt: skip
"""What happens -> the actions."""
LONG: Action = {"session": 20_000, "rebalance": 20_000}
"""Sessions as long as rebalances, so that timers of both kinds run out at once."""
CUT, HALF = "0x000000000001000574", "0x0000"
"""Metadata of type "consumer" that announce more than there is, and such as end where a number should stand."""
NEGATIVE, NEGATIVE_CUT = "0xffff00000000ffffffff", "0x8cad02dca729"
"""Such metadata with a version below 0: those that can be read, and those that announce more than there is."""
MORE: dict[str, list[Action]] = {
    "nobody synchronises in time and one is silent, sessions being as long as rebalances": [
        form(3, until="AwaitSync", **LONG),
        wait(10_000),
        ask("heartbeat", 1, own=False),
        ask("heartbeat", 2, own=False),
        wait(10_000),
        ask("heartbeat", 1, own=False),
        ask("heartbeat", 2, own=False),
    ],
    "the leader alone does not synchronise in time, sessions being as long as rebalances": [
        form(3, until="AwaitSync", **LONG), ask("sync", 1, own=False), ask("sync", 2, own=False), wait(20_000),
        ask("heartbeat", "leader"), wait(20_000),
    ],
    "a member joins whose metadata announce more than there is": [
        form(1), ask("join", None, protocols=[["range", CUT]], version=3), ask("join", "leader"), wait(21_000),
    ],
    "a member joins whose metadata end too early": [
        form(1), ask("join", None, protocols=[["range", HALF]], version=3), ask("join", "leader"), wait(21_000),
    ],
    **{
        f"two members join whose metadata cannot be read for different reasons ({number})": [
            form(1), ask("join", None, protocols=[["range", CUT]], version=3),
            ask("join", None, protocols=[["range", HALF]], version=3), ask("join", "leader"), wait(21_000),
        ]
        for number in range(4)
    },
    "a static member comes back whose metadata cannot be read, and the node fails": [
        form(static=True),
        ask("join", None, instance="j", protocols=[["range", CUT], ["sticky", "m"]]),
        fail_over(),
        ask("heartbeat", "leader"),
        ask("join", None),
    ],
    "a static member comes back whose metadata cannot be read and is gone; then the node fails": [
        form(1, static=True),
        ask("join", None, instance="i", protocols=[["range", CUT], ["sticky", "m"]]),
        wait(300_000),
        fail_over(),
    ],
    "a member joins whose metadata have a negative version": [
        form(1), ask("join", None, protocols=[["range", NEGATIVE]], version=3), ask("join", "leader"), wait(21_000),
    ],
    "a member joins whose metadata have a negative version and announce more than there is": [
        form(1), ask("join", None, protocols=[["range", NEGATIVE_CUT]], version=3), ask("join", "leader"), wait(21_000),
    ],
    "the log takes too long over a group's first record": [
        form(0), ask("join", None, instance="i", outcome="later"), late(), wait(3_000), written(), wait(1_000),
    ],
    "the log takes too long over the leader's states": [
        form(until="AwaitSync"), ask("sync"), ask("sync", "leader", outcome="later"), late(), written(), ask("heartbeat"),
    ],
    "the log takes too long over a static member that comes back": [
        form(static=True), ask("join", None, instance="j", outcome="later"), late(), written(), ask("heartbeat"),
    ],
    "the log refuses a static member that comes back": [
        form(static=True), ask("join", None, instance="j", outcome="NOT_ENOUGH_REPLICAS"), ask("heartbeat"),
    ],
}  # fmt: skip
"""What happens besides, where proposal and Kafka need not differ -> the actions."""
NAMED: dict[str, dict[str, Any]] = {
    name: {"settings": SETTINGS, "actions": actions} for name, actions in (TOLD | MORE).items()
}


def played(behaviour: Behaviour, actions: list[Action]) -> tuple[StandaloneCoordinator, list[Step]]:
    """Return our coordinator after a sequence, and what was asked and seen."""
    settings = SETTINGS | {"delay": behaviour.initial_delay_ms}
    held = StandaloneCoordinator(behaviour, settings)
    asking = Asking(held)
    steps = []
    for asked in asking.all(actions):
        steps.append((asked, held.take(asked, held.coordinator.leader)))
        asking.ids = [f"client-{number}" for number in range(held.coordinator.next_member)]
    return held, steps


def told(steps: list[Step]) -> str:
    """Return how the requests after those that formed the group were answered, and what became of the group."""
    parts: list[str] = []
    newest = None  # the SyncGroup by which a leader last sent states
    for asked, seen in steps:
        newest = asked["token"] if asked.get("states") else newest
        if asked.get("forms") or "token" not in asked:
            continue
        answers = dict(seen["replies"])
        own = f"{asked['do']}: {answer(answers.pop(asked['token'], None), newest)}"
        parts.append(", another: ".join([own, *(answer(other, newest) for other in answers.values())]))
    shorter = [part for at, part in enumerate(parts) if at == 0 or parts[at - 1] != part]
    return "; ".join([*shorter, state(steps[-1][1]["group"])])


def answer(reply: dict[str, Any] | None, newest: int | None) -> str:
    """Return how a request was answered: where a state was given, whether it is the newest that a leader sent."""
    if reply is None:
        return "parked"
    if reply["error"]:
        return f"`{Error(reply['error']).name}`"
    if "generation" in reply:
        return f"generation {reply['generation']}"
    if "state" not in reply:
        return "`NONE`"
    if reply["state"] is None:
        return "no state"
    return "its new state" if reply["state"].startswith(f"{newest}:") else "its old state"


def state(group: dict[str, Any] | None) -> str:
    """Return what a group is in the end, by the proposal's names of states."""
    if group is None:
        return "then Down"
    names = {"PreparingRebalance": "Joining", "CompletingRebalance": "AwaitSync"}
    members = len(group["members"])
    plural = "" if members == 1 else "s"
    return f"then {names.get(group['state'], group['state'])}, generation {group['generation']}, {members} member{plural}"
