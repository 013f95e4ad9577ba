"""A static leader that comes back is told that another one leads, so that nobody watches the group's topics."""

from msgspec.structs import replace
from staging import group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import change_requests
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import JoinGroup

fixed = group


def affected(setting: Setting) -> Machines:
    """Answer as below version 9 of JoinGroup, where a leader cannot be told to leave the assignment as it is."""
    return change_requests(
        group(setting), JoinGroup, lambda _, request: replace(request, skips_assignment=False)
    )
