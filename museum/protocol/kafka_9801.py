"""A coordinator that gives a static member a new id while it waits for the leader's SyncGroup. The leader does not know the new id."""

from typing import Any

from msgspec.structs import replace
from staging import BEFORE_2_7, build_behaviour, build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.coordinator.rebalance import make_join_response, rename, static_member
from kassay.reference.group.coordinator.state import draft
from kassay.reference.group.messages import Asked, JoinGroup


def build_fixed(setting: Setting) -> Machines:
    """Begin a rebalance in this case."""
    return build_machines(setting, **BEFORE_2_7)


def build_affected(setting: Setting) -> Machines:
    """Answer with the current generation and its leader, and begin no rebalance."""
    machines, own = build_fixed(setting), build_behaviour(setting, **BEFORE_2_7)

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
