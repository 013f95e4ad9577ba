"""Steps that machines have taken: each is taken once, however often a group comes to it.

Machines are functions of what they are and what they are told, without time. So groups that are struck at other moments go through the
same states; what follows from each is looked up by the identity of the values, which stay alive in the table.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from kassay.reference.group.coordinator.step import error_of
from kassay.reference.group.events import Alarm, Answered, Asked, NotAnswered, Written
from kassay.reference.group.messages import Error, FindCoordinatorResponse, Request, Response
from kassay.simulation.schedule import Setting
from kassay.simulation.uses import USES
from kassay.simulation.world import Choose, Machines

T = TypeVar("T")
MOST = 400_000
"""How many steps are kept; then all are forgotten. About a gigabyte."""


class Table:
    """The steps of the machines of one setting."""

    def __init__(self, setting: Setting, machines: Machines) -> None:
        self._setting, self.machines = setting, machines
        self.use = USES[setting.use]
        self._choose = _chooser(setting.chooses)
        self._known: dict[tuple[Hashable, ...], tuple[Any, ...]] = {}

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
        return self._keep(key, self.machines.step_member(member, event), member, event)

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
        return self._keep(key, step, coordinator, event)

    def new(self, slot: int, upgraded: int, cluster: Any) -> Any:
        """Return a new member."""
        return self._once(
            ("new", slot, upgraded, id(cluster)),
            self.machines.new_member,
            self._setting,
            slot,
            upgraded,
            cluster,
        )

    def load(self, log: tuple[Hashable, ...], first_id: int) -> Any:
        """Return the first step of a coordinator that has read the log."""
        return self._once(("load", id(log), first_id), self.machines.load, log, first_id)

    def unload(self, coordinator: Any) -> Any:
        """Return the last step of a coordinator that is one no more."""
        return self._once(("unload", id(coordinator)), self.machines.unload, coordinator)

    def appended(self, log: tuple[Hashable, ...], records: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Return the log with some more records."""
        return self._once(("append", id(log), id(records)), tuple.__add__, log, records)

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

    def _once(self, key: tuple[Hashable, ...], make: Callable[..., T], *of: Any) -> T:
        known = self._known.get(key)
        return known[0] if known is not None else self._keep(key, make(*of), *of)

    def _keep(self, key: tuple[Hashable, ...], value: T, *alive: Any) -> T:
        """Keep a value with all whose identity its key names, so that nothing else takes this identity."""
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = (value, *alive)
        return value


def _whereabouts(node: int | None) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error=Error.NONE if node is not None else Error.COORDINATOR_NOT_AVAILABLE, node=node
    )


def _chooser(number: int) -> Choose:
    return lambda allowed: allowed[number % len(allowed)]
