"""A cooperative member whose SyncGroup comes too late drops all that it owns."""

from staging import group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import replace_error
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Error, SyncGroupResponse

fixed = group


def affected(setting: Setting) -> Machines:
    """Treat REBALANCE_IN_PROGRESS of a SyncGroup as ILLEGAL_GENERATION is treated, which KAFKA-13891 had asked for."""
    return replace_error(
        group(setting), SyncGroupResponse, Error.REBALANCE_IN_PROGRESS, Error.ILLEGAL_GENERATION
    )
