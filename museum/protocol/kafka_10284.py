"""A coordinator that does not write the new id of a restarted static member to its log."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.coordinator.state import Replaced
from kassay.reference.group.messages import Step, Write, Written


def build_fixed(setting: Setting) -> Machines:
    """Write the new id, and then answer."""
    return build_machines(setting, **BEFORE_2_7)


def build_affected(setting: Setting) -> Machines:
    """Answer a static member that rejoins a stable group at once, and write nothing."""
    machines = build_fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        done = machines.step_coordinator(coordinator, event, choose)
        for batch in (one.batch for one in done.state.waiting if type(one.after) is Replaced):
            answered = machines.step_coordinator(done.state, Written(batch), choose)
            kept = tuple(one for one in done.effects if type(one) is not Write or one.batch != batch)
            done = Step(answered.state, (*kept, *answered.effects))
        return done

    return replace(machines, step_coordinator=step)
