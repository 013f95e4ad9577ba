"""A cooperative member whose SyncGroup comes too late drops all that it owns."""

from staging import group

from kassay.reference.group.messages import Error, SyncGroupResponse
from kassay.simulation.schedule import Setting
from kassay.simulation.steps import mistake_error
from kassay.simulation.world import Machines

fixed = group


def affected(setting: Setting) -> Machines:
    """Treat REBALANCE_IN_PROGRESS of a SyncGroup as ILLEGAL_GENERATION is treated, which KAFKA-13891 had asked for."""
    return mistake_error(
        group(setting), SyncGroupResponse, Error.REBALANCE_IN_PROGRESS, Error.ILLEGAL_GENERATION
    )
