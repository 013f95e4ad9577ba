"""Decorators that make mutants: functions that return the machines of a group with one change."""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, TypeAlias

from msgspec.structs import replace

from kassay.protocol.simulation import steps
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Reply, Send, SetTimer, Step

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


def replace_function(module: ModuleType, name: str) -> Callable[[Change], Mutate]:
    """Change a function that the machines call: `change` gets the function itself and its arguments."""

    def decorate(change: Change) -> Mutate:
        original = getattr(module, name)

        def changed(*of: Any, **named: Any) -> Any:
            return change(original, *of, **named)

        def patch(machine: Callable[..., Any]) -> Callable[..., Any]:
            def call(*of: Any) -> Any:
                setattr(module, name, changed)
                try:
                    return machine(*of)
                finally:
                    setattr(module, name, original)

            return call

        @wraps(change)
        def mutate(machines: Machines) -> Machines:
            return replace(
                machines,
                step_member=patch(machines.step_member),
                step_coordinator=patch(machines.step_coordinator),
                load=patch(machines.load),
                unload=patch(machines.unload),
            )

        return mutate

    return decorate


def change_timers(change: Change) -> Mutate:
    """Change the delays of the coordinator's timers: `change` gets the coordinator after the step, the key and the delay; None sets no timer."""

    @change_coordinator_step
    @wraps(change)
    def changed(step: Any, coordinator: Any, event: Any) -> Any:
        done = step(coordinator, event)
        effects = []
        for one in done.effects:
            delay = change(done.state, one.key, one.delay_ms) if type(one) is SetTimer else None
            if type(one) is not SetTimer:
                effects.append(one)
            elif delay is not None:
                effects.append(SetTimer(one.key, delay))
        return Step(done.state, tuple(effects))

    return changed
