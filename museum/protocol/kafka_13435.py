"""A coordinator that names the old id of a restarted static leader, so that no member watches the topics."""

from msgspec.structs import replace
from staging import build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import change_requests
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import JoinGroup

build_fixed = build_machines


def build_affected(setting: Setting) -> Machines:
    """Answer like JoinGroup before version 9, which cannot tell a leader to keep the assignment."""
    return change_requests(
        build_machines(setting), JoinGroup, lambda _, request: replace(request, skips_assignment=False)
    )
