"""What actions mean in the state that a group is in: requests, alarms, outcomes of the log, failovers, as JSON."""

from collections.abc import Iterator
from typing import Any

from kassay.protocol.simulation import standalone_coordinator as seen
from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator

Asked = dict[str, Any]
FORMED = [["range", "m"], ["sticky", "m"]]
JOINS = {"do": "join", "session": 10_000, "rebalance": 20_000, "version": 9}


class Asking:
    """Makes of actions what our coordinator, and Kafka's, is asked."""

    def __init__(self, held: StandaloneCoordinator) -> None:
        """Begin with no ids of members known."""
        self.held = held
        self.now = 0
        self.token = 0
        self.ids: list[str] = []
        """Those that have been given, in the order of their appearance."""

    def all(self, actions: list[dict[str, Any]]) -> Iterator[Asked]:
        """Yield what is asked, after what was asked before has been done."""
        yield {"do": "load", "now": 0}
        for action in actions:
            if action["do"] in {"timer", "next"} and not self.held.timers:
                continue  # nobody coordinates the group
            for asked in self._of(action):
                yield asked | {"outcome": asked.get("outcome", action["outcome"]), "now": self.now}

    def _of(self, action: dict[str, Any]) -> Iterator[Asked]:
        """Yield what an action means; nothing where it means nothing."""
        kind, held = action["do"], self.held
        if kind == "wait":
            until = self.now + action["ms"]
            while held.timers and min(held.timers.values()) <= until:
                yield self._alarm(0)
            self.now = until
        elif kind == "timer":
            yield self._alarm(action["tie"])
        elif kind == "fail over":
            kept = min(action["kept"], len(held.waiting))
            yield {"do": kind, "outcome": "now", "crashes": action["crashes"], "kept": kept}
        elif kind == "next":
            yield self._next(action)
        elif kind == "form":
            for asked in self._form(action):
                yield asked | {"forms": True}
        elif kind not in {"written", "timed out"}:
            yield self._request(action)
        elif held.list_batches(late=kind == "written"):
            yield {"do": kind, "outcome": "now"}

    def _alarm(self, tie: int) -> Asked:
        """Let the next timer run out; which one of those due at once, and set at once, is chosen by `tie`."""
        self.now = max(self.now, min(self.held.timers.values()))
        due = sorted(map(seen.name_timer, self.held.list_due_timers()))
        return {"do": "alarm", "key": due[tie % len(due)]}

    def _next(self, action: dict[str, Any]) -> Asked:
        """Let a member do what a good client does next, or a new one join; where all wait, time passes."""
        coordinator = self.held.coordinator
        known = [*coordinator.pending, *coordinator.members]
        name = known[(action["who"] or 0) % len(known)] if known else None
        member = coordinator.members.get(name or "")
        joins = JOINS | {"type": coordinator.protocol_type or "consumer"}
        joins |= _timeouts(action)
        asked = {**action, "own": True, "generation": 0, "protocol": None}
        if name is None or (action["who"] is None and len(known) < 4):
            return self._request(asked | joins | {"who": None, "own": False})
        if member is None:
            return self._request(asked | joins | {"instance": None})
        if coordinator.state == "Joining" and member.joining is None:
            protocols = [[protocol.name, action["metadata"]] for protocol in member.protocols]
            return self._request(asked | joins | {"protocols": protocols})
        if coordinator.state == "AwaitSync" and member.syncing is None:
            return self._request(asked | {"do": "sync"})
        if coordinator.state == "Stable":
            return self._request(asked | {"do": "commit" if action["metadata"] == "n" else "heartbeat"})
        return self._alarm(0)

    def _form(self, action: dict[str, Any]) -> Iterator[Asked]:
        """Let members join, one after another and with all that follows, until the group is in a state."""
        held, count = self.held, action["members"]
        good = {
            "who": None,
            "own": False,
            "metadata": "m",
            "protocols": FORMED,
            "generation": 0,
            "protocol": None,
        }
        for number in range(count):
            instance = "ijk"[number] if action.get("static") else None
            while len(held.coordinator.members) <= number:
                pending = {"who": 0, "own": True} if held.coordinator.pending else {}
                joins = JOINS | {"type": "consumer", "instance": instance} | _timeouts(action)
                yield self._request(good | joins | pending)
        while count and held.coordinator.state != action["until"]:
            coordinator = held.coordinator
            waiting = [
                member.joining is not None or member.syncing is not None for member in coordinator.roster
            ]
            leads = [member.member_id == coordinator.leader for member in coordinator.roster]
            late = min(zip(waiting, leads, range(count), strict=True))
            yield (
                self._alarm(0)
                if late[0]
                else self._next(good | {"do": "next", "who": late[2]} | _timeouts(action))
            )

    def _names(self, action: dict[str, Any]) -> tuple[str, str | None]:
        """Return the member id and instance id that an action names."""
        who = action["who"]
        if who is None:
            return "", action["instance"]
        coordinator = self.held.coordinator
        known = [*coordinator.pending, *coordinator.members]
        if isinstance(who, str):
            leads = who == "leader"
            known = [name for name in coordinator.members if (name == coordinator.leader) is leads]
            who = 0
        if action["own"] and known:
            name = known[who % len(known)]
            member = coordinator.members.get(name)
            return name, member.instance_id if member else None
        return self.ids[who] if 0 <= who < len(self.ids) else "nobody", action["instance"]

    def _request(self, action: dict[str, Any]) -> Asked:
        self.token += 1
        kind, coordinator = action["do"], self.held.coordinator
        asked: Asked = {"do": kind, "token": self.token}
        if kind == "leave":
            return asked | {"members": [list(self._names(one)) for one in action["members"]]}
        member_id, instance_id = self._names(action)
        asked |= {"member": member_id, "instance": instance_id}
        if kind == "join":
            return asked | {
                key: action[key] for key in ("session", "rebalance", "type", "protocols", "version")
            }
        change = action["generation"]
        asked["generation"] = -1 if change is None else coordinator.generation + change
        if kind == "commit":
            asked["items"] = [f"topic-{self.token}"]
        if kind == "sync":
            protocol = {None: None, "same": coordinator.protocol, "other": "other"}[action["protocol"]]
            asked |= {"error": action["error"]} if "error" in action else {}
            asked |= {"type": None, "protocol": protocol, "states": {}}
            if member_id == coordinator.leader:
                asked["states"] = {name: f"{self.token}:{name}" for name in [*coordinator.members][:3]}
        return asked


def _timeouts(action: dict[str, Any]) -> dict[str, int]:
    return {key: action[key] for key in ("session", "rebalance") if key in action}
