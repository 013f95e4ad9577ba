"""A cooperative member that drops all its partitions if its SyncGroup comes too late."""

from staging import build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import replace_error
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Error, SyncGroupResponse

build_fixed = build_machines


def build_affected(setting: Setting) -> Machines:
    """Handle REBALANCE_IN_PROGRESS of a SyncGroup like ILLEGAL_GENERATION, which KAFKA-13891 introduced."""
    return replace_error(
        build_machines(setting), SyncGroupResponse, Error.REBALANCE_IN_PROGRESS, Error.ILLEGAL_GENERATION
    )
