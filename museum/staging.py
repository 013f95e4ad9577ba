"""Machines of a group for the modules of museum/protocol: as they are, or as a release had them in ways that its fault needs."""

from functools import partial
from typing import Any

from msgspec.structs import replace

from kassay.families.assignors import ASSIGNORS
from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import BEHAVIOURS, make_machines
from kassay.protocol.simulation.world import Machines
from kassay.reference.group import coordinator as coordination
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import Error

BEFORE_2_7: dict[str, Any] = {"sync_timeout": False, "awaiting_sync": Error.REBALANCE_IN_PROGRESS}
"""Up to 2.6 a heartbeat was refused while the leader's states were awaited, and none else waited for SyncGroup (KAFKA-10134, KAFKA-12890)."""


def behaviour(setting: Setting, **flags: Any) -> Behaviour:
    """Return a coordinator's behaviour, with some flags set otherwise."""
    return replace(BEHAVIOURS[setting.coordinator], **flags)


def group(setting: Setting, **flags: Any) -> Machines:
    """Return the machines of a group, with flags of the coordinator's behaviour set otherwise."""
    name = "consumer/cooperative-sticky" if setting.cooperative else "consumer/range"
    built = make_machines(setting, ASSIGNORS[name].assign)
    own = behaviour(setting, **flags)
    return replace(
        built,
        load=partial(coordination.load, own),
        step_coordinator=partial(coordination.step, own),
        unload=partial(coordination.unload, own),
    )
