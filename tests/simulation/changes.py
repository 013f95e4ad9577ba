"""Decorators that make mutants: functions that return the machines of a group with one change."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

from msgspec.structs import replace

from kassay.protocol.simulation import steps
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Reply, Send, Step

Change: TypeAlias = Callable[..., Any]
Mutate: TypeAlias = Callable[[Machines], Machines]


def change_coordinator_step(change: Change) -> Mutate:
    """Change steps of the coordinator: `change` gets the machine's own function, the coordinator and the event."""

    @wraps(change)
    def mutate(machines: Machines) -> Machines:
        def step(coordinator: Any, event: Any, choose: Any) -> Any:
            return change(lambda *of: machines.step_coordinator(*of, choose), coordinator, event)

        return replace(machines, step_coordinator=step)

    return mutate


def change_member_step(change: Change) -> Mutate:
    """Change steps of members: `change` gets the machine's own function, the member and the event."""

    @wraps(change)
    def mutate(machines: Machines) -> Machines:
        step = machines.step_member
        return replace(machines, step_member=lambda member, event: change(step, member, event))

    return mutate


def change_load(change: Change) -> Mutate:
    """Change how a coordinator begins: `change` gets the machine's own function, the log, and the number of the next new member."""

    @wraps(change)
    def mutate(machines: Machines) -> Machines:
        load = machines.load
        return replace(machines, load=lambda log, first_id: change(load, log, first_id))

    return mutate


def ignore_events(ignores: Callable[[Any, Any], bool]) -> Mutate:
    """Let the coordinator not receive events for which `ignores(coordinator, event)` holds."""

    @change_coordinator_step
    @wraps(ignores)
    def change(step: Any, coordinator: Any, event: Any) -> Any:
        return Step(coordinator, ()) if ignores(coordinator, event) else step(coordinator, event)

    return change


def change_responses(kind: type) -> Callable[[Change], Mutate]:
    """Change responses of a kind: `change` gets the coordinator before and after, the event and the response."""

    def decorate(change: Change) -> Mutate:
        @change_coordinator_step
        @wraps(change)
        def changed(step: Any, coordinator: Any, event: Any) -> Any:
            done = step(coordinator, event)
            effects = (
                Reply(one.token, change(coordinator, done.state, event, one.response))
                if type(one) is Reply and type(one.response) is kind
                else one
                for one in done.effects
            )
            return Step(done.state, tuple(effects))

        return changed

    return decorate


def change_received_requests(kind: type) -> Callable[[Change], Mutate]:
    """Change requests of a kind before the coordinator receives them: `change` gets the coordinator and the request."""

    def decorate(change: Change) -> Mutate:
        @wraps(change)
        def mutate(machines: Machines) -> Machines:
            return steps.change_requests(machines, kind, change)

        return mutate

    return decorate


def change_sent_requests(kind: type) -> Callable[[Change], Mutate]:
    """Change the requests of a kind that a member sends."""

    def decorate(change: Change) -> Mutate:
        @change_member_step
        @wraps(change)
        def changed(step: Any, member: Any, event: Any) -> Any:
            done = step(member, event)
            effects = (
                Send(one.token, change(one.request), one.node)
                if type(one) is Send and type(one.request) is kind
                else one
                for one in done.effects
            )
            return Step(done.state, tuple(effects))

        return changed

    return decorate


def change_members(change: Change) -> Mutate:
    """Change what a member becomes: `change` gets it before and after, and the event."""

    @change_member_step
    @wraps(change)
    def changed(step: Any, member: Any, event: Any) -> Any:
        done = step(member, event)
        return Step(change(member, done.state, event), done.effects)

    return changed
