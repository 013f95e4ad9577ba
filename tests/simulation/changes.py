"""What mutants change in the machines of a group."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Reply, Send, Step


def change_responses(machines: Machines, kind: type, change: Callable[[Any, Any, Any, Any], Any]) -> Machines:
    """Change responses of a kind; `change` gets the coordinator before and after, the event and the response."""

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        done = machines.step_coordinator(coordinator, event, choose)
        effects = tuple(
            Reply(one.token, change(coordinator, done.state, event, one.response))
            if type(one) is Reply and type(one.response) is kind
            else one
            for one in done.effects
        )
        return Step(done.state, effects)

    return replace(machines, step_coordinator=step)


def ignore_events(machines: Machines, ignores: Callable[[Any, Any], bool]) -> Machines:
    """Let the coordinator not hear of events for which `ignores(coordinator, event)` holds."""

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if ignores(coordinator, event):
            return Step(coordinator, ())
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def change_members(machines: Machines, change: Callable[[Any, Any, Any], Any]) -> Machines:
    """Change what a member becomes; `change` gets it before and after, and the event."""

    def step(member: Any, event: Any) -> Any:
        done = machines.step_member(member, event)
        return Step(change(member, done.state, event), done.effects)

    return replace(machines, step_member=step)


def change_sent(machines: Machines, kind: type, change: Callable[[Any], Any]) -> Machines:
    """Change the requests of a kind that a member sends."""

    def step(member: Any, event: Any) -> Any:
        done = machines.step_member(member, event)
        effects = tuple(
            Send(one.token, change(one.request), one.node)
            if type(one) is Send and type(one.request) is kind
            else one
            for one in done.effects
        )
        return Step(done.state, effects)

    return replace(machines, step_member=step)
