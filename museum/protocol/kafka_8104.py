"""A member that fails if it leaves the group after it joined: it applies its assignment without a generation."""

from typing import Any

from msgspec.structs import replace
from staging import build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.member.joining import fail
from kassay.reference.group.member.state import Resumed
from kassay.reference.group.messages import Alarm, Error, Step

build_fixed = build_machines


def build_affected(setting: Setting) -> Machines:
    """Keep an assignment that is still to be applied when the member leaves. Applying it without a protocol fails."""
    machines = build_machines(setting)

    def step(member: Any, event: Any) -> Any:
        if type(event) is Resumed and member.given and member.generation < 0:
            effects: list[Any] = []
            return Step(fail(member, Error.UNKNOWN_SERVER_ERROR, effects), tuple(effects))
        done = machines.step_member(member, event)
        left = event == Alarm("poll") and member.given and done.state.phase == "Unjoined"
        return Step(replace(done.state, given=True), done.effects) if left else done

    return replace(machines, step_member=step)
