"""A member that leaves for want of polls after it has joined takes up the state that it was given in no generation, and fails."""

from typing import Any

from msgspec.structs import replace
from staging import group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.member.joining import fail
from kassay.reference.group.member.state import Resumed
from kassay.reference.group.messages import Alarm, Error, Step

fixed = group


def affected(setting: Setting) -> Machines:
    """Keep a state that is still to be taken up when the member leaves; taking it up without a protocol is what throws."""
    machines = group(setting)

    def step(member: Any, event: Any) -> Any:
        if type(event) is Resumed and member.given and member.generation < 0:
            effects: list[Any] = []
            return Step(fail(member, Error.UNKNOWN_SERVER_ERROR, effects), tuple(effects))
        done = machines.step_member(member, event)
        left = event == Alarm("poll") and member.given and done.state.phase == "Unjoined"
        return Step(replace(done.state, given=True), done.effects) if left else done

    return replace(machines, step_member=step)
