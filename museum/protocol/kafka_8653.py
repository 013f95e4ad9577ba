"""A coordinator that uses the rebalance timeout 0 for JoinGroup version 0, so that no member has time to rejoin."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import change_requests
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import JoinGroup


def _lower_version(_: Any, request: JoinGroup) -> JoinGroup:
    return replace(
        request, known_id_required=False, skips_assignment=False, rebalance_timeout_ms=request.session_timeout_ms
    )  # fmt: skip


def build_fixed(setting: Setting) -> Machines:
    """Use the session timeout of such members."""
    return change_requests(build_machines(setting, **BEFORE_2_7), JoinGroup, _lower_version)


def build_affected(setting: Setting) -> Machines:
    """Use 0."""
    return change_requests(
        build_machines(setting, **BEFORE_2_7), JoinGroup,
        lambda coordinator, request: replace(_lower_version(coordinator, request), rebalance_timeout_ms=0),
    )  # fmt: skip
