"""A member that never looks for its coordinator again: it waits for a response that it already got."""

from typing import Any

from msgspec.structs import replace
from staging import build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import FindCoordinator, Send, Step

build_fixed = build_machines


def build_affected(setting: Setting) -> Machines:
    """Send no FindCoordinator while a heartbeat is pending, and wait for its response. Threads are not modelled, so every lookup is lost then."""
    machines = build_machines(setting)

    def step(member: Any, event: Any) -> Any:
        done = machines.step_member(member, event)
        if done.state.beat is None:
            return done
        return Step(done.state, tuple(one for one in done.effects if not _is_lookup(one)))

    return replace(machines, step_member=step)


def _is_lookup(effect: Any) -> bool:
    return type(effect) is Send and type(effect.request) is FindCoordinator
