"""A coordinator that reports missing replicas of its log with an error that members do not know."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Error, Refused


def build_fixed(setting: Setting) -> Machines:
    """Answer that the coordinator is not available. The member then asks again."""
    return build_machines(setting, **BEFORE_2_7)


def build_affected(setting: Setting) -> Machines:
    """Pass the error of the log on. A consumer knows NOT_ENOUGH_REPLICAS as little as the error that stands for it here."""
    machines = build_fixed(setting)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Refused and event.error is Error.COORDINATOR_NOT_AVAILABLE:
            event = Refused(event.batch, Error.UNKNOWN_SERVER_ERROR)
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)
