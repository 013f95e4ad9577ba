"""Steps that machines have taken: each is taken once, however often a group comes to it.

Machines are functions of what they are and what they are told, without time. So groups that are struck at other moments go through the
same states; what follows from each is looked up by the identity of the values, which stay alive in the table.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kassay.reference.group.coordinator.step import error_of
from kassay.reference.group.events import Alarm, Answered, Asked, NotAnswered, Reply, Send, Write, Written
from kassay.reference.group.messages import Error, FindCoordinatorResponse, Request, Response
from kassay.simulation.schedule import Setting
from kassay.simulation.uses import USES
from kassay.simulation.world import Choose, Machines

T = TypeVar("T")
MOST = 400_000
"""How many steps are kept; then all are forgotten. About a gigabyte."""


class Taken(Struct, frozen=True):
    """A step that a machine took: what it is then, what it wants done, and how many requests it has forgotten the numbers of."""

    state: Any
    effects: tuple[Any, ...]
    sent: int


class Table:
    """The steps of the machines of one setting."""

    def __init__(self, setting: Setting, machines: Machines, *, most: int = MOST, renumbers: bool = True) -> None:
        """Keep so many steps, none where it is 0; `renumbers`: whether requests are numbered anew when none is under way."""
        self._setting, self.machines = setting, machines
        self.use = USES[setting.use]
        self._choose = _chooser(setting.chooses)
        self._most, self.renumbers = most, renumbers
        self._known: dict[tuple[Hashable, ...], tuple[Any, ...]] = {}
        self._same: dict[Any, Any] = {}

    def member(self, member: Any, event: Any) -> Any:
        """Return the step of a member."""
        kind = type(event)
        if kind is Answered:
            key: tuple[Hashable, ...] = (id(member), event.token, id(event.response))
        elif kind is Alarm:
            key = (id(member), event.key)
        elif kind is NotAnswered:
            key = (id(member), event.token, None)
        else:
            key = (id(member), event)
        known = self._known.get(key)
        if known is not None:
            return known[0]
        step = self.machines.step_member(member, event)
        state, sent = step.state, 0
        if self.renumbers and _rests(state):
            state, sent = replace(state, tokens=0), state.tokens
        effects = tuple(
            Send(one.token, self._one(one.request), one.node) if type(one) is Send else one for one in step.effects
        )
        return self._keep(key, Taken(self._one(state), effects, sent), member, event)

    def coordinator(self, coordinator: Any, event: Any) -> Any:
        """Return the step of a coordinator."""
        kind = type(event)
        if kind is Asked:
            key: tuple[Hashable, ...] = (id(coordinator), event.token, id(event.request))
        elif kind is Alarm:
            key = (id(coordinator), event.key)
        elif kind is Written:
            key = (id(coordinator), event.batch, True)
        else:
            key = (id(coordinator), event)
        known = self._known.get(key)
        if known is not None:
            return known[0]
        step = self.machines.step_coordinator(coordinator, event, self._choose)
        return self._keep(key, self._shared(step), coordinator, event)

    def new(self, slot: int, upgraded: int, cluster: Any) -> Any:
        """Return a new member."""
        return self._once(
            ("new", slot, upgraded, id(cluster)),
            self._new,
            slot,
            upgraded,
            cluster,
        )

    def _new(self, slot: int, upgraded: int, cluster: Any) -> Any:
        return self._one(self.machines.new_member(self._setting, slot, upgraded, cluster))

    def load(self, log: tuple[Hashable, ...], first_id: int) -> Any:
        """Return the first step of a coordinator that has read the log."""
        return self._once(("load", id(log), first_id), self._load, log, first_id)

    def unload(self, coordinator: Any) -> Any:
        """Return the last step of a coordinator that is one no more."""
        return self._once(("unload", id(coordinator)), self._unload, coordinator)

    def _load(self, log: Any, first_id: int) -> Any:
        return self._shared(self.machines.load(log, first_id))

    def _unload(self, coordinator: Any) -> Any:
        return self._shared(self.machines.unload(coordinator))

    def appended(self, log: tuple[Hashable, ...], records: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Return the log with some more records."""
        return self._once(("append", id(log), id(records)), self._appended, log, records)

    def _appended(self, log: Any, records: Any) -> Any:
        return self._one(log + records)

    def grown(self, cluster: Any, number: int) -> Any:
        """Return a cluster with one more partition."""
        return self._once(("grown", id(cluster), number), self.use.grown, cluster, number)

    def moved(self, cluster: Any, number: int) -> Any:
        """Return a cluster with a topic on other racks."""
        return self._once(("moved", id(cluster), number), self.use.moved, cluster, number)

    def whereabouts(self, node: int | None) -> Response:
        """Return what any broker says of the coordinator."""
        return self._once(("find", node), _whereabouts, node)

    def refusal(self, request: Request) -> Response:
        """Return what a broker answers that is not the coordinator."""
        return self._once(("refusal", id(request)), error_of, request, Error.NOT_COORDINATOR)

    def _shared(self, step: Any) -> Any:
        effects = tuple(
            Reply(one.token, self._one(one.response)) if type(one) is Reply
            else Write(one.batch, self._one(one.records)) if type(one) is Write
            else one
            for one in step.effects
        )
        return Taken(self._one(step.state), effects, 0)

    def _one(self, value: T) -> T:
        """Return the one value that is equal to this."""
        return self._same.setdefault(value, value) if self._most else value

    def _once(self, key: tuple[Hashable, ...], make: Callable[..., T], *of: Any) -> T:
        known = self._known.get(key)
        return known[0] if known is not None else self._keep(key, make(*of), *of)

    def _keep(self, key: tuple[Hashable, ...], value: T, *alive: Any) -> T:
        """Keep a value with all whose identity its key names, so that nothing else takes this identity."""
        if len(self._known) >= self._most:
            self._known.clear()
            self._same.clear()
        if self._most:
            self._known[key] = (value, *alive)
        return value


def _rests(member: Any) -> bool:
    """Say whether no request is under way and no timer is named by one, so that a member may begin to number from 0 again."""
    return (
        member.asked is None and member.beat is None and not member.commits and not member.use.leased
    )


def _whereabouts(node: int | None) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error=Error.NONE if node is not None else Error.COORDINATOR_NOT_AVAILABLE, node=node
    )


def _chooser(number: int) -> Choose:
    return lambda allowed: allowed[number % len(allowed)]
