"""A static leader that comes back is told that another one leads, so that nobody watches the group's topics."""

from msgspec.structs import replace
from staging import group

from kassay.reference.group.messages import JoinGroup
from kassay.simulation.schedule import Setting
from kassay.simulation.steps import change_requests
from kassay.simulation.world import Machines

fixed = group


def affected(setting: Setting) -> Machines:
    """Answer as below version 9 of JoinGroup, where a leader cannot be told to leave the assignment as it is."""
    return change_requests(
        group(setting), JoinGroup, lambda _, request: replace(request, skips_assignment=False)
    )
