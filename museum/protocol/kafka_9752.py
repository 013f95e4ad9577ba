"""A coordinator that does not wait for heartbeats of a new member after its first join phase, until it sends one."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import CancelTimer, SetTimer, Step


def build_fixed(setting: Setting) -> Machines:
    """Wait for heartbeats from the end of the join phase."""
    return build_machines(setting, **BEFORE_2_7)


def build_affected(setting: Setting) -> Machines:
    """Set no session timer for new members when a generation begins."""
    machines = build_fixed(setting)

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
