"""A member that looks for its coordinator while its heartbeat is under way may never look again: the answer that it waits for has been."""

from typing import Any

from msgspec.structs import replace
from staging import group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import FindCoordinator, Send, Step

fixed = group


def affected(setting: Setting) -> Machines:
    """Send no FindCoordinator while both threads are at work, and wait for its answer: threads are not modelled, so it always goes wrong then."""
    machines = group(setting)

    def step(member: Any, event: Any) -> Any:
        done = machines.step_member(member, event)
        if done.state.beat is None:
            return done
        return Step(done.state, tuple(one for one in done.effects if not _finds(one)))

    return replace(machines, step_member=step)


def _finds(effect: Any) -> bool:
    return type(effect) is Send and type(effect.request) is FindCoordinator
