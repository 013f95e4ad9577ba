"""How a coordinator answers each request in each state: the table of docs/reference/protocol.md, by asking."""

from typing import Any

from asking import Asking
from named import CHANGED, SETTINGS, Action, ask, form

from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator, parse_request
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import LOADING, Coordinator, step, unload
from kassay.reference.group.messages import Asked, Error, Reply

STATES: dict[str, list[Action]] = {
    "elsewhere": [form()],
    "Initialize": [form()],
    "Down": [],
    "Empty": [form(1), ask("leave", "leader")],
    "Stable": [form()],
    "Joining": [form(), ask("join", "leader", **CHANGED)],
    "AwaitSync": [form(until="AwaitSync")],
}
"""State -> how the group comes into it; in "elsewhere" another node has taken over, in "Initialize" this one just has."""
REQUESTS: dict[str, Action] = {
    "JoinGroup of a new member": ask("join", None),
    "JoinGroup of a member, unchanged": ask("join"),
    "JoinGroup of a member, other metadata": ask("join", **CHANGED),
    "JoinGroup of the leader": ask("join", "leader"),
    "JoinGroup of an unknown id": ask("join", -1, own=False),
    "JoinGroup without a common protocol": ask("join", None, protocols=[["other", "m"]]),
    "SyncGroup of a member": ask("sync"),
    "SyncGroup of the leader": ask("sync", "leader"),
    "SyncGroup of another generation": ask("sync", generation=1),
    "SyncGroup of an unknown id": ask("sync", -1, own=False),
    "Heartbeat of a member": ask("heartbeat"),
    "Heartbeat of another generation": ask("heartbeat", generation=1),
    "Heartbeat of an unknown id": ask("heartbeat", -1, own=False),
    "LeaveGroup of a member": ask("leave"),
    "LeaveGroup of an unknown id": ask("leave", members=[{"who": -1, "instance": None, "own": False}]),
    "OffsetCommit of a member": ask("commit"),
    "OffsetCommit of another generation": ask("commit", generation=1),
    "OffsetCommit of an unknown id": ask("commit", -1, own=False),
    "OffsetCommit outside the group": ask("commit", None, generation=None),
}


def answers(behaviour: Behaviour, name: str) -> dict[str, str]:
    """Return by state how a request is answered: the error, "NONE", or "parked" where the answer is to follow."""
    return {state: _answer(behaviour, state, name) for state in STATES}


def _answer(behaviour: Behaviour, state: str, name: str) -> str:
    held = StandaloneCoordinator(behaviour, SETTINGS | {"delay": behaviour.initial_delay_ms})
    asking = Asking(held)
    for asked in asking.all(STATES[state]):
        held.take(asked, held.coordinator.leader)
    (asked,) = list(asking.all([REQUESTS[name]]))[1:]
    coordinator = _there(behaviour, state, held.coordinator)
    if coordinator is not held.coordinator:
        done = step(behaviour, coordinator, Asked(0, parse_request(asked)))
        (reply,) = done.effects
        assert isinstance(reply, Reply)
        assert done.state == coordinator
        return reply.response.error.name
    found = [
        reply
        for token, reply in held.take(asked, held.coordinator.leader)["replies"]
        if token == asked["token"]
    ]
    return Error(_error(found[0])).name if found else "parked"


def _there(behaviour: Behaviour, state: str, coordinator: Coordinator) -> Coordinator:
    """Return the coordinator of a node that is loading the group or has lost it, where the state is of these."""
    if state == "Initialize":
        return LOADING
    return unload(behaviour, coordinator).state if state == "elsewhere" else coordinator


def _error(reply: dict[str, Any]) -> int:
    """Return the error of an answer, or of its only member."""
    left = next(iter(reply.get("members", [])), None) if "generation" not in reply else None
    return int(reply["error"] or (left[-1] if left else 0))
