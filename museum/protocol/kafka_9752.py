"""After its first join phase nobody waits for the heartbeats of a new member, until it sends one."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import CancelTimer, SetTimer, Step


def fixed(setting: Setting) -> Machines:
    """Wait for them from the end of the join phase on."""
    return group(setting, **BEFORE_2_7)


def affected(setting: Setting) -> Machines:
    """When a generation begins, set no session timer for the members that are new."""
    machines = fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        done = machines.step_coordinator(coordinator, event, choose)
        if done.state.generation == coordinator.generation:
            return done
        new = {("session", member.member_id) for member in coordinator.roster if member.is_new}
        effects = tuple(
            CancelTimer(one.key) if type(one) is SetTimer and one.key in new else one for one in done.effects
        )
        return Step(done.state, effects)

    return replace(machines, step_coordinator=step)
