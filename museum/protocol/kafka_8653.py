"""The rebalance timeout of members that name none (JoinGroup version 0) is 0, so that nobody has time to join again."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.steps import change_requests
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import JoinGroup


def _version_0(_: Any, request: JoinGroup) -> JoinGroup:
    return replace(
        request, known_id_required=False, skips_assignment=False, rebalance_timeout_ms=request.session_timeout_ms
    )  # fmt: skip


def fixed(setting: Setting) -> Machines:
    """Take the session timeout of such members in its place."""
    return change_requests(group(setting, **BEFORE_2_7), JoinGroup, _version_0)


def affected(setting: Setting) -> Machines:
    """Take 0."""
    return change_requests(
        group(setting, **BEFORE_2_7), JoinGroup,
        lambda coordinator, request: replace(_version_0(coordinator, request), rebalance_timeout_ms=0),
    )  # fmt: skip
