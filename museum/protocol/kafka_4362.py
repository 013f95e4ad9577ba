"""A coordinator that fails with an unknown error if its log has moved to another broker."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Error, Refused


def build_fixed(setting: Setting) -> Machines:
    """Answer NOT_COORDINATOR."""
    return build_machines(setting, **BEFORE_2_7)


def build_affected(setting: Setting) -> Machines:
    """Answer UNKNOWN_SERVER_ERROR."""
    machines = build_fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Refused and event.error is Error.NOT_COORDINATOR:
            event = Refused(event.batch, Error.UNKNOWN_SERVER_ERROR)
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)
