"""A coordinator that does not know that its log has gone to another broker fails when it writes, by an error that members do not know."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Error, Refused


def fixed(setting: Setting) -> Machines:
    """Answer that it is the coordinator no more."""
    return group(setting, **BEFORE_2_7)


def affected(setting: Setting) -> Machines:
    """Answer by UNKNOWN_SERVER_ERROR in this case."""
    machines = fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Refused and event.error is Error.NOT_COORDINATOR:
            event = Refused(event.batch, Error.UNKNOWN_SERVER_ERROR)
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)
