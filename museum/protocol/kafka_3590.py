"""That the log lacks replicas is told to members by an error that they do not know, and they fail."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Error, Refused


def fixed(setting: Setting) -> Machines:
    """Tell them that the coordinator is not available, after which they ask again."""
    return group(setting, **BEFORE_2_7)


def affected(setting: Setting) -> Machines:
    """Pass the log's error on; a consumer knows NOT_ENOUGH_REPLICAS no more than the one that stands for it here."""
    machines = fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Refused and event.error is Error.COORDINATOR_NOT_AVAILABLE:
            event = Refused(event.batch, Error.UNKNOWN_SERVER_ERROR)
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)
