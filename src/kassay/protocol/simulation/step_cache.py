"""Steps that machines have taken: each is computed once, however often a group comes to it.

Machines are functions of state and event, without time. So groups in which faults strike at other moments go through the same states. The next
step is looked up by the identity of the values, which stay alive in the table. Equal values are made one, so that it does not matter how a machine came
to its state.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.step_invariants import (
    check_coordinator_step,
    find_violations,
    heeds_what_it_is_told,
    taken_over_whole,
)
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import Machines
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
    refuse,
)


class Taken(Struct, frozen=True):
    """A step that a machine has taken."""

    state: Any
    effects: tuple[Any, ...]
    moves: bool
    """True if a member owns something else or is in another generation."""
    shows: bool
    """True if others see a difference, so that the group may have become stable."""
    sent: int = 0
    """How many requests a member had sent when it had none under way; it numbers the next from 0 again."""
    wrong: tuple[tuple[str, str], ...] = ()
    """The invariants that the step breaks, each with a sentence."""


T = TypeVar("T")
MOST = 400_000
"""How many steps are kept; then all are forgotten. About a gigabyte."""


class StepCache:
    """The steps of the machines of one setting."""

    def __init__(self, setting: Setting, machines: Machines, *, most: int = MOST, quick: bool = True) -> None:
        """Keep at most `most` steps; if `quick`, number requests from 0 again whenever none is under way."""
        self._setting, self.machines, self.quick = setting, machines, quick
        self.use = USES[setting.use]
        self._choose: Callable[[tuple[str, ...]], str] = lambda allowed: allowed[
            setting.chooses % len(allowed)
        ]
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
        after, sent = step.state, 0
        # Members know requests by their numbers and only compare these for equality. So a member that has sent some is the same as one that
        # has sent none, if no request is under way and no timer is named by one.
        idle = after.asked is None and after.beat is None and not after.commits and not after.use.leased
        if self.quick and idle:
            after, sent = replace(after, tokens=0), after.tokens
        moves = after.owned != member.owned or after.generation != member.generation
        wrong = find_violations((heeds_what_it_is_told,), member, event, step)
        taken = Taken(after, step.effects, moves, _seen(after) != _seen(member), sent, tuple(wrong))
        return self._keep(key, self._share(taken), member, event)

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
        wrong = check_coordinator_step(coordinator, event, step)
        return self._keep(key, self._of_coordinator(coordinator, step, wrong), coordinator, event)

    def new(self, slot: int, program: int, cluster: Any) -> Any:
        """Return a new member."""
        return self._once(
            ("new", slot, program, id(cluster)),
            lambda: self._one(self.machines.new_member(self._setting, slot, program, cluster)),
            cluster,
        )

    def load(self, log: tuple[Hashable, ...], first_id: int) -> Taken:
        """Return the first step of a coordinator that has read the log."""

        def load() -> Taken:
            step = self.machines.load(log, first_id)
            return self._of_coordinator(None, step, find_violations((taken_over_whole,), log, step))

        return self._once(("load", id(log), first_id), load, log)

    def unload(self, coordinator: Any) -> Taken:
        """Return the last step of a coordinator that another one replaces."""
        return self._once(
            ("unload", id(coordinator)),
            lambda: self._of_coordinator(None, self.machines.unload(coordinator)),
            coordinator,
        )

    def append(self, log: tuple[Hashable, ...], records: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Return the log with some more records."""
        return self._once(("append", id(log), id(records)), lambda: self._one(log + records), log, records)

    def change_cluster(self, how: Literal["grown", "moved", "created"], cluster: Any, number: int) -> Any:
        """Return the cluster after a change that the use names so."""
        return self._once(
            (how, id(cluster), number), lambda: self._one(getattr(self.use, how)(cluster, number)), cluster
        )

    def locate_coordinator(self, node: int | None) -> Response:
        """Return the response of any broker to FindCoordinator."""
        error = Error.NONE if node is not None else Error.COORDINATOR_NOT_AVAILABLE
        return self._once(("find", node), lambda: FindCoordinatorResponse(error=error, node=node))

    def refuse(self, request: Request) -> Response:
        """Return the response of a broker that is not the coordinator."""
        return self._once(("refuse", id(request)), lambda: refuse(request, Error.NOT_COORDINATOR), request)

    def _once(self, key: tuple[Hashable, ...], make: Callable[[], T], *alive: Any) -> T:
        """Return what `make` returns, from the table if it is known; the key names all that it depends on."""
        known = self._known.get(key)
        return known[0] if known is not None else self._keep(key, make(), *alive)

    def _keep(self, key: tuple[Hashable, ...], value: T, *alive: Any) -> T:
        """Keep a value, and all whose identity its key names, so that nothing else takes this identity."""
        if len(self._known) >= self._most:
            self._known.clear()
            self._same.clear()
        if self._most:
            self._known[key] = (value, *alive)
        return value

    def _of_coordinator(self, before: Any, step: Any, wrong: Iterable[tuple[str, str]] = ()) -> Taken:
        """Return a coordinator's step, which breaks these invariants; before it there may have been no coordinator."""
        after = step.state
        shows = before is None or (before.state, before.roster) != (after.state, after.roster)
        return self._share(Taken(after, step.effects, False, shows, wrong=tuple(wrong)))

    def _share(self, taken: Taken) -> Taken:
        """Return the step with its state, and the messages and records of its effects, made one with equal ones."""
        one, effects = self._one, list[Any]()
        for effect in taken.effects:
            match effect:
                case Send(token, request, node):
                    effects.append(Send(token, one(request), node))
                case Reply(token, response):
                    effects.append(Reply(token, one(response)))
                case Write(batch, records):
                    effects.append(Write(batch, one(records)))
                case _:
                    effects.append(effect)
        return Taken(one(taken.state), tuple(effects), taken.moves, taken.shows, taken.sent, taken.wrong)

    def _one(self, value: T) -> T:
        """Return the one value that is equal to this."""
        return self._same.setdefault(value, value) if self._most else value


def _seen(member: Any) -> tuple[Any, ...]:
    """Return what others see of a member, and all that decides whether a group is stable."""
    return (
        member.phase, member.generation, member.owned, member.member_id, member.rejoins, member.node, member.cluster,
    )  # fmt: skip
