"""The machines of a group: its coordinator's behaviour, and members by what the group is used for.

What changes machines stands last, for those who want to see what a fault in coordinator or member leads to: the tests' mutants, the museum.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from msgspec.structs import replace

from kassay.reference.group import coordinator as coordination
from kassay.reference.group.behaviour import PROPOSAL, RELEASES, UNPERSISTED, Behaviour, kafka
from kassay.reference.group.events import Answered, Asked
from kassay.reference.group.member import KAFKA, Config, new, step
from kassay.reference.group.member import PROPOSAL as PROPOSED
from kassay.reference.group.messages import Error
from kassay.simulation.schedule import Setting
from kassay.simulation.uses import USES, Assign, Program
from kassay.simulation.world import HEARTBEAT_MS, REBALANCE_MS, REQUEST_MS, SESSION_MS, Machines

BEHAVIOURS: dict[str, Behaviour] = {
    "proposal": PROPOSAL,
    "unpersisted": UNPERSISTED,
    **{f"kafka@{release}": kafka(release) for release in RELEASES},
}
"""Coordinators by the names that schedules and the command line use."""
NEWEST = f"kafka@{RELEASES[-1]}"
"""The coordinator that stands in a group where none is named."""


def machines(setting: Setting, assign: Assign) -> Machines:
    """Put the machines of a setting together; leaders assign by this function where their use takes one.

    Raises InputError where the use allows no static members.
    """
    behaviour, use = BEHAVIOURS[setting.coordinator], USES[setting.use]
    uses = [program.use(setting, remembered(assign)) for program in use.programs]

    def new_member(setting: Setting, slot: int, number: int, cluster: Any) -> Any:
        program = use.programs[number]
        config = _config(setting, behaviour, slot, program)
        return new(uses[number], config, program.subscribes(use.subscription(setting, slot, None)), cluster)

    new_member(setting, 0, 0, use.cluster(setting))
    return Machines(
        new_member=new_member,
        step_member=step,
        load=partial(coordination.load, behaviour),
        step_coordinator=partial(coordination.step, behaviour),
        unload=partial(coordination.unload, behaviour),
        items=uses[0].items,
    )


def _config(setting: Setting, behaviour: Behaviour, slot: int, program: Program) -> Config:
    manner = KAFKA if behaviour.persists == "synced" else PROPOSED
    careful = program.careful and manner.resync == "always"
    return Config(
        client_id=f"m{slot}",
        instance_id=f"i{slot}" if setting.static else None,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=REBALANCE_MS,
        heartbeat_ms=HEARTBEAT_MS,
        max_poll_ms=REBALANCE_MS,
        request_timeout_ms=REQUEST_MS,
        manner=replace(manner, resync="unmoved") if careful else manner,
    )


def remembered(assign: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let a function answer each group once; a group that it fails on is asked again."""
    known: dict[Hashable, Any] = {}

    def answer(group: Hashable) -> Any:
        found = known.get(group)
        if found is None:
            found = known[group] = assign(group)
        return found

    return answer


def change_requests(machines: Machines, kind: type, change: Callable[[Any, Any], Any]) -> Machines:
    """Change requests of a kind before the coordinator sees them; `change` gets coordinator and request."""

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Asked and type(event.request) is kind:
            event = Asked(event.token, change(coordinator, event.request))
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def mistake_error(machines: Machines, kind: type, error: Error, other: Error = Error.NONE) -> Machines:
    """Let a member take a response of a kind with this error for one with another, or with none."""

    def step(member: Any, event: Any) -> Any:
        if type(event) is Answered and type(event.response) is kind and event.response.error is error:
            event = Answered(event.token, replace(event.response, error=other))
        return machines.step_member(member, event)

    return replace(machines, step_member=step)
