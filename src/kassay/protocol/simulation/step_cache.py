"""Steps that machines have taken: each is taken once, however often a group comes to it.

Machines are functions of what they are and what they are told, without time. So groups that are struck at other moments go through the
same states; what follows from each is looked up by the identity of the values, which stay alive in the table. Values that are equal are made one,
so that it does not matter on which way a machine came to its state.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.step_invariants import wrong, wrong_at_first, wrong_of_member
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import Choose, Machines
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Asked,
    Error,
    FindCoordinatorResponse,
    NotAnswered,
    Reply,
    Request,
    Response,
    Send,
    Write,
    Written,
)


class Taken(Struct, frozen=True):
    """What a machine is after a step and what it wants done, in order.

    `moves`: whether a member owns something else or is in another generation; `shows`: whether others see a difference, so that the group may have become stable by the step. `sent`
    is how many requests a member sent until it had none under way; it numbers the next from 0 again. `wrong` are the invariants that the machine breaks by the step.
    """

    state: Any
    effects: tuple[Any, ...]
    moves: bool
    shows: bool
    sent: int = 0
    wrong: tuple[tuple[str, str], ...] = ()


def of_member(before: Any, step: Any, wrong: Iterable[tuple[str, str]] = (), *, renumbers: bool) -> Taken:
    """Return the step of a member, which breaks these invariants.

    Members know requests by their numbers and never compare these but for being equal. So where no request is under way and no timer is named
    by one, a member that has sent some is as one that has sent none.
    """
    after = step.state
    moves = after.owned != before.owned or after.generation != before.generation
    sent = 0
    if (
        renumbers
        and after.asked is None
        and after.beat is None
        and not after.commits
        and not after.use.leased
    ):
        after, sent = replace(after, tokens=0), after.tokens
    return Taken(after, step.effects, moves, _seen(after) != _seen(before), sent, tuple(wrong))


def _seen(member: Any) -> tuple[Any, ...]:
    """Return what others see of a member, among that all by which a group is found stable."""
    return (
        member.phase, member.generation, member.owned, member.member_id, member.rejoins, member.node, member.cluster,
    )  # fmt: skip


def of_coordinator(before: Any, step: Any, wrong: Iterable[tuple[str, str]] = ()) -> Taken:
    """Return the step of a coordinator, which breaks these invariants; before it there may have been none."""
    after = step.state
    return Taken(
        after,
        step.effects,
        False,
        before is None or (before.state, before.roster) != (after.state, after.roster),
        wrong=tuple(wrong),
    )


T = TypeVar("T")
MOST = 400_000
"""How many steps are kept; then all are forgotten. About a gigabyte."""


class StepCache:
    """The steps of the machines of one setting."""

    def __init__(self, setting: Setting, machines: Machines, *, most: int = MOST, quick: bool = True) -> None:
        """Keep at most so many steps, none where it is 0.

        `quick`: whether requests are numbered anew where none is under way (:func:`of_member`).
        """
        self._setting, self.machines, self.quick = setting, machines, quick
        self.use = USES[setting.use]
        self._choose = _chooser(setting.chooses)
        self._most = most
        self._known: dict[tuple[Hashable, ...], tuple[Any, ...]] = {}
        self._same: dict[Any, Any] = {}

    def member(self, member: Any, event: Any) -> Taken:
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
            return known[0]  # type: ignore[no-any-return]
        step = self.machines.step_member(member, event)
        taken = of_member(member, step, wrong_of_member(member, event, step), renumbers=self.quick)
        return self._keep(key, self._one_of_each(taken), member, event)

    def coordinator(self, coordinator: Any, event: Any) -> Taken:
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
            return known[0]  # type: ignore[no-any-return]
        step = self.machines.step_coordinator(coordinator, event, self._choose)
        taken = of_coordinator(coordinator, step, wrong(coordinator, event, step))
        return self._keep(key, self._one_of_each(taken), coordinator, event)

    def new(self, slot: int, program: int, cluster: Any) -> Any:
        """Return a new member."""
        make = self.machines.new_member
        key = ("new", slot, program, id(cluster))
        return self.once(key, lambda *of: self._one(make(self._setting, *of)), slot, program, cluster)

    def load(self, log: tuple[Hashable, ...], first_id: int) -> Taken:
        """Return the first step of a coordinator that has read the log."""
        return self.once(("load", id(log), first_id), self._loaded, log, first_id)

    def unload(self, coordinator: Any) -> Taken:
        """Return the last step of a coordinator that is one no more."""
        return self.once(("unload", id(coordinator)), self._unloaded, coordinator)

    def appended(self, log: tuple[Hashable, ...], records: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Return the log with some more records."""
        return self.once(
            ("append", id(log), id(records)), lambda *of: self._one(tuple.__add__(*of)), log, records
        )

    def grown(self, cluster: Any, number: int) -> Any:
        """Return a cluster with one more partition."""
        return self.once(
            ("grown", id(cluster), number), lambda *of: self._one(self.use.grown(*of)), cluster, number
        )

    def moved(self, cluster: Any, number: int) -> Any:
        """Return a cluster with a topic on other racks."""
        return self.once(
            ("moved", id(cluster), number), lambda *of: self._one(self.use.moved(*of)), cluster, number
        )

    def created(self, cluster: Any, partitions: int) -> Any:
        """Return a cluster with one more topic."""
        return self.once(
            ("created", id(cluster), partitions),
            lambda *of: self._one(self.use.created(*of)),
            cluster,
            partitions,
        )

    def whereabouts(self, node: int | None) -> Response:
        """Return what any broker says of the coordinator."""
        return self.once(("find", node), _whereabouts, node)

    def refusal(self, request: Request) -> Response:
        """Return what a broker answers that is not the coordinator."""
        return self.once(("refusal", id(request)), _refused, request)

    def once(self, key: tuple[Hashable, ...], make: Callable[..., T], *of: Any) -> T:
        """Return what `make` makes of these values; the key names all of them."""
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

    def _loaded(self, log: tuple[Hashable, ...], first_id: int) -> Taken:
        step = self.machines.load(log, first_id)
        return self._one_of_each(of_coordinator(None, step, wrong_at_first(log, step)))

    def _unloaded(self, coordinator: Any) -> Taken:
        return self._one_of_each(of_coordinator(None, self.machines.unload(coordinator)))

    def _one_of_each(self, taken: Taken) -> Taken:
        effects = tuple(_SHARED.get(type(effect), _whole)(self._one, effect) for effect in taken.effects)
        return Taken(self._one(taken.state), effects, taken.moves, taken.shows, taken.sent, taken.wrong)

    def _one(self, value: T) -> T:
        """Return the one value that is equal to this."""
        return self._same.setdefault(value, value) if self._most else value


def _whole(_one: Callable[[Any], Any], effect: Any) -> Any:
    return effect


_SHARED: dict[type, Callable[[Callable[[Any], Any], Any], Any]] = {
    Send: lambda one, send: Send(send.token, one(send.request), send.node),
    Reply: lambda one, reply: Reply(reply.token, one(reply.response)),
    Write: lambda one, write: Write(write.batch, one(write.records)),
}
"""Effects that hold what others are told, which is made one value."""


def _refused(request: Request) -> Response:
    return request.refused(Error.NOT_COORDINATOR)


def _whereabouts(node: int | None) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error=Error.NONE if node is not None else Error.COORDINATOR_NOT_AVAILABLE, node=node
    )


def _chooser(number: int) -> Choose:
    return lambda allowed: allowed[number % len(allowed)]
