"""A static member that comes back while the leader's states are awaited is answered under a new id, which the leader does not know."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, behaviour, group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.coordinator.rebalance import make_join_response, rename, static_member
from kassay.reference.group.coordinator.state import draft
from kassay.reference.group.messages import Asked, JoinGroup


def fixed(setting: Setting) -> Machines:
    """Begin a rebalance in this case."""
    return group(setting, **BEFORE_2_7)


def affected(setting: Setting) -> Machines:
    """Answer with the generation as it is, with the leader that it had, and begin no rebalance."""
    machines, own = fixed(setting), behaviour(setting, **BEFORE_2_7)

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Asked and type(event.request) is JoinGroup and coordinator.state == "AwaitSync":
            request, changing = event.request, draft(own, coordinator, choose)
            old = static_member(changing, request.instance_id) if request.instance_id is not None else None
            if old is not None and not request.member_id:
                leader, member_id = changing.leader, f"{request.instance_id}-{changing.next_member}"
                changing.next_member += 1
                back = changing.update(rename(changing, old, member_id), protocols=request.protocols)
                changing.begin_session(back)
                response = replace(make_join_response(changing, back), leader=leader or "", members=())
                changing.reply(event.token, response)
                return changing.finish()
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)
