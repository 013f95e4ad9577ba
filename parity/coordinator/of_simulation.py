"""What the coordinator of a simulated group is asked, in the form in which ours and Kafka's are held against each other.

So a schedule that shows a defect of the protocol can be put to Kafka's own coordinator: the same requests, alarms and commits of the log in the same order
and at the same times. What members say of themselves, and what they are given, are texts here, one for each value. Last stand the schedules that show what the
simulator found of Kafka's coordinator: it answers each request as ours does.
"""

from typing import Any
from unittest.mock import patch

from kassay.families.assignors import ASSIGNORS
from kassay.protocol.simulation import faults, steps
from kassay.protocol.simulation import standalone_coordinator as seen
from kassay.protocol.simulation.campaign import Runner
from kassay.protocol.simulation.monitor import Outcome
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.protocol.simulation.steps import make_machines
from kassay.protocol.simulation.world import World
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    SyncGroup,
    Written,
)

KINDS = {JoinGroup: "join", SyncGroup: "sync", Heartbeat: "heartbeat", LeaveGroup: "leave", OffsetCommit: "commit"}  # fmt: skip


class Asking:
    """Collects what the coordinators of a group are asked, one node after another."""

    def __init__(self) -> None:
        """Begin as a coordinator that has read an empty log."""
        self.asked: list[dict[str, Any]] = [{"do": "load", "outcome": "now", "now": 0}]
        self.node = 0
        self.names: dict[str, str] = {}
        self.texts: dict[Any, str] = {}
        self.numbers: dict[int, int] = {}
        self.tokens = 0

    def event(self, world: World, node: int, event: Any) -> None:
        """Add what a coordinator is told; one that is none any more must not be told anything."""
        if world.nodes[node].state == "Initialize" or not world.nodes[node].serving:
            return
        assert node == self.node, "two brokers coordinate the group"
        self._add(world, self._of(world.nodes[node], event))

    def failover(self, world: World, node: int) -> None:
        """Add that another node takes over, the first one being the beginning."""
        if node:
            crashed = self.node not in world.nodes
            self._add(world, {"do": "fail over", "crashes": crashed, "kept": 0, "outcome": "now"})
            self.node = node

    def _add(self, world: World, asked: dict[str, Any]) -> None:
        self.asked.append({"outcome": "later"} | asked | {"now": world.now})

    def _of(self, coordinator: Any, event: Any) -> dict[str, Any]:
        if isinstance(event, Written):
            return {"do": "written", "outcome": "now"}
        if isinstance(event, Alarm):
            key = ("session", self.names[event.key[1]]) if isinstance(event.key, tuple) else event.key
            return {"do": "alarm", "key": seen.name_timer(key)}
        assert isinstance(event, Asked), "the log refuses a batch"
        return self._request(coordinator, event.request)

    def _request(self, coordinator: Any, request: Any) -> dict[str, Any]:
        self.tokens += 1
        asked: dict[str, Any] = {"do": KINDS[type(request)], "token": self.tokens}
        if isinstance(request, LeaveGroup):
            return asked | {
                "members": [[self.names[one.member_id], one.instance_id] for one in request.members]
            }
        if isinstance(request, JoinGroup) and not request.member_id:
            told = request.instance_id or request.client_id
            number = self.numbers.setdefault(
                coordinator.next_member, len(self.numbers)
            )  # one that is refused is given again
            self.names[f"{told}-{coordinator.next_member}"] = f"{request.instance_id or 'client'}-{number}"
        asked |= {"member": self.names.get(request.member_id, ""), "instance": request.instance_id}
        if isinstance(request, JoinGroup):
            return asked | {
                "session": request.session_timeout_ms, "rebalance": request.rebalance_timeout_ms,
                "type": request.protocol_type, "version": 9,
                "protocols": [[one.name, self._text(one.metadata)] for one in request.protocols],
            }  # fmt: skip
        asked["generation"] = request.generation
        if isinstance(request, SyncGroup):
            states = {self.names[name]: self._text(state) for name, state in request.states}
            asked |= {"type": request.protocol_type, "protocol": request.protocol, "states": states}
        if isinstance(request, OffsetCommit):
            asked["items"] = [f"topic-{self.tokens}"]
        return asked

    def _text(self, value: Any) -> str:
        return self.texts.setdefault(value, f"text {len(self.texts)}")


def asked_in(schedule: Schedule) -> tuple[list[dict[str, Any]], Outcome]:
    """Return what the coordinators of a schedule are asked, and what comes of it."""
    asking, tell, loaded = Asking(), steps.tell_coordinator, faults._finish_load

    def telling(world: World, node: int, event: Any) -> None:
        asking.event(world, node, event)
        tell(world, node, event)

    def loading(world: World, node: int) -> None:
        asking.failover(world, node)
        loaded(world, node)

    def build(setting: Setting) -> Any:
        name = "consumer/cooperative-sticky" if setting.cooperative else "consumer/range"
        return make_machines(setting, ASSIGNORS[name].assign)

    with patch.object(steps, "tell_coordinator", telling), patch.object(faults, "_finish_load", loading):
        outcome = Runner(build).run(schedule, trace=True)
    return asking.asked, outcome


KAFKA = Setting(coordinator="kafka@4.4.0")
STATIC = Setting(coordinator="kafka@4.4.0", static=True)
FOUND: dict[str, tuple[Schedule, str]] = {
    "a generation that was not written is given again": (
        Schedule(KAFKA, (Fault(6_023, "failover"),)),
        "generations_grow",
    ),
    "a static member is fenced by its own old id": (
        Schedule(
            STATIC,
            (Fault(5_979, "grow"), Fault(6_017, "crash", 1), Fault(6_028, "coordinator-crash")),
        ),
        "no_member_fails",
    ),
    "SyncGroup of an id that is none any more is awaited": (
        Schedule(STATIC, (Fault(6_014, "leave", 1, 50),)),
        "stays_stable",
    ),
    "a static leader that comes back leaves a new partition to nobody": (
        Schedule(STATIC, (Fault(5_979, "grow"), Fault(6_024, "leave"))),
        "legal_target_assignment",
    ),
    "who was to give something up comes back and nobody is given it": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", partitions=(1, 1), cooperative=True, static=True),
            (Fault(18_020, "subscribe", 0, 0, 1), Fault(21_027, "crash", 1)),
        ),
        "legal_target_assignment",
    ),
    "a static member is fenced by its own JoinGroup that came twice": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", members=3, partitions=(1,), static=True),
            (Fault(35, "duplicate", 2),),
        ),
        "no_member_fails",
    ),
    "a commit is taken in a generation before one that was not written": (
        Schedule(
            Setting("connect", "kafka@4.4.0", 2, (1,)),
            (Fault(12_021, "leave", 0, 300), Fault(12_033, "failover"), Fault(12_162, "commit", 1)),
        ),
        "commits_from_owners",
    ),
    "a static member is fenced by a JoinGroup of the process before it": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", members=1, partitions=(1,), static=True),
            (Fault(9_000, "crash"), Fault(9_003, "duplicate", 0, 1_000), Fault(9_100, "crash")),
        ),
        "no_member_fails",
    ),
    "a static member comes back subscribed to more and nobody is given it": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", members=1, partitions=(1, 1), static=True),
            (Fault(6_500, "subscribe", 0, 0, 1), Fault(11_900, "crash")),
        ),
        "legal_target_assignment",
    ),
}
"""What was found -> the schedule, and the invariant that breaks."""
SETTINGS = {"delay": 3_000, "max": None}


def sequence(schedule: Schedule) -> dict[str, Any]:
    """Return what the coordinator of a schedule is asked, as a sequence."""
    return {"settings": SETTINGS, "asked": asked_in(schedule)[0]}
