"""State machines for the modules of museum/protocol: as they are, or with the behaviour of an old release that a bug needs."""

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
"""Up to 2.6, the coordinator refused heartbeats while it waited for the leader's SyncGroup, and had no timeout for it (KAFKA-10134, KAFKA-12890)."""


def build_behaviour(setting: Setting, **flags: Any) -> Behaviour:
    """Return the behaviour of a coordinator, with other values of these flags."""
    return replace(BEHAVIOURS[setting.coordinator], **flags)


def build_machines(setting: Setting, **flags: Any) -> Machines:
    """Return the machines of a group, with other values of these flags of the coordinator's behaviour."""
    name = "consumer/cooperative-sticky" if setting.cooperative else "consumer/range"
    built = make_machines(setting, ASSIGNORS[name].assign)
    own = build_behaviour(setting, **flags)
    return replace(
        built,
        load=partial(coordination.load, own),
        step_coordinator=partial(coordination.step, own),
        unload=partial(coordination.unload, own),
    )
