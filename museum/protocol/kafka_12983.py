"""A cooperative member that keeps its partitions after it lost its id in a rebalance, and claims them when it joins."""

from typing import Any

from msgspec.structs import replace
from staging import build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.member.state import Lose
from kassay.reference.group.messages import Answered, Error, JoinGroupResponse, Step, SyncGroupResponse

build_fixed = build_machines
OUT = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION})
IN_REBALANCE = frozenset({JoinGroupResponse, SyncGroupResponse})


def build_affected(setting: Setting) -> Machines:
    """Drop nothing after such a response, because the join is prepared only once in a rebalance."""
    machines = build_machines(setting)

    def step(member: Any, event: Any) -> Any:
        done = machines.step_member(member, event)
        out = type(event) is Answered and type(event.response) in IN_REBALANCE and event.response.error in OUT
        if not out or not member.owned or done.state.owned:
            return done
        again = machines.step_member(member, event)
        kept = tuple(one for one in again.effects if type(one) is not Lose)
        return Step(replace(again.state, owned=member.owned), kept)

    return replace(machines, step_member=step)
