"""The answer to a commit of an old generation throws a member out of the new one."""

from typing import Any

from msgspec.structs import replace
from staging import group

from kassay.reference.group.events import Answered
from kassay.reference.group.messages import OffsetCommitResponse
from kassay.simulation.schedule import Setting
from kassay.simulation.world import Machines

fixed = group


def affected(setting: Setting) -> Machines:
    """Take each answer to a commit as one of the generation that the member is in."""
    machines = group(setting)

    def step(member: Any, event: Any) -> Any:
        if type(event) is Answered and type(event.response) is OffsetCommitResponse:
            current = {"generation": member.generation, "member_id": member.member_id}
            commits = tuple(
                replace(one, **current) if one.token == event.token else one for one in member.commits
            )
            member = replace(member, commits=commits)
        return machines.step_member(member, event)

    return replace(machines, step_member=step)
