"""Static members that come back get a new id, which was not written into the log."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.coordinator.state import Replaced
from kassay.reference.group.messages import Step, Write, Written


def fixed(setting: Setting) -> Machines:
    """Write it, and answer then."""
    return group(setting, **BEFORE_2_7)


def affected(setting: Setting) -> Machines:
    """Answer a static member that comes back in a stable group at once, and write nothing."""
    machines = fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        done = machines.step_coordinator(coordinator, event, choose)
        for batch in (one.batch for one in done.state.waiting if type(one.after) is Replaced):
            answered = machines.step_coordinator(done.state, Written(batch), choose)
            kept = tuple(one for one in done.effects if type(one) is not Write or one.batch != batch)
            done = Step(answered.state, (*kept, *answered.effects))
        return done

    return replace(machines, step_coordinator=step)
