"""Machines with a change, for whoever wants to see what a fault in coordinator or member leads to: the tests' mutants, the museum."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kassay.reference.group.events import Answered, Asked, Reply, Send, Step
from kassay.reference.group.messages import Error
from kassay.simulation.world import Machines


def told(machines: Machines, kind: type, change: Callable[[Any, Any], Any]) -> Machines:
    """Change requests of a kind before the coordinator sees them; `change` gets coordinator and request."""

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Asked and type(event.request) is kind:
            event = Asked(event.token, change(coordinator, event.request))
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def answering(machines: Machines, kind: type, change: Callable[[Any, Any, Any, Any], Any]) -> Machines:
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


def deaf(machines: Machines, ignores: Callable[[Any, Any], bool]) -> Machines:
    """Let the coordinator not hear of events for which `ignores(coordinator, event)` holds."""

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if ignores(coordinator, event):
            return Step(coordinator, ())
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def becoming(machines: Machines, change: Callable[[Any, Any, Any], Any]) -> Machines:
    """Change what a member becomes; `change` gets it before and after, and the event."""

    def step(member: Any, event: Any) -> Any:
        done = machines.step_member(member, event)
        return Step(change(member, done.state, event), done.effects)

    return replace(machines, step_member=step)


def hearing(machines: Machines, kind: type, error: Error, other: Error = Error.NONE) -> Machines:
    """Let a member take a response of a kind with this error for one with another, or with none."""

    def step(member: Any, event: Any) -> Any:
        if type(event) is Answered and type(event.response) is kind and event.response.error is error:
            event = Answered(event.token, replace(event.response, error=other))
        return machines.step_member(member, event)

    return replace(machines, step_member=step)


def sending(machines: Machines, kind: type, change: Callable[[Any], Any]) -> Machines:
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
