"""Keys of worlds: equal where nothing that can follow differs, but for times and, with symmetry, for the numbers of members."""

from collections.abc import Hashable
from typing import Any

from msgspec.structs import replace

from kassay.simulation.steps import arrive, commit, give_up, hear, ring_coordinator, ring_member
from kassay.simulation.world import World

Order = tuple[int, ...]


class Keys:
    """Makes keys; members may be numbered in these orders."""

    def __init__(self, orders: list[Order]) -> None:
        """Begin without any value known."""
        self._orders = orders
        self._numbers: dict[Hashable, int] = {}
        self._of_object: dict[int, tuple[int, Any]] = {}

    def of(self, world: World, failovers: int) -> Hashable:
        """Return the key of a world in which the coordinator may fail so many times more: the least over all orders."""
        history = world.history
        common = self._number((
            failovers, world.active, world.epoch, world.log, world.cluster,
            frozenset(history.leaders.items()), frozenset(history.members.items()), frozenset(history.given.items()), history.newest,
        ))  # fmt: skip
        return common, min(self._ordered(world, order) for order in self._orders)

    def _ordered(self, world: World, order: Order) -> tuple[Hashable, ...]:
        """Describe a world in which the member of number n is called order[n]."""
        members = sorted((order[slot], self._object(member)) for slot, member in enumerate(world.members))
        nodes = sorted((node, self._number(_renamed(of, order))) for node, of in world.nodes.items())
        queue = sorted(self._number(_entry(act, args, order)) for _, _, act, args in world.queue)
        waiting = sorted(self._number((order[slot], token)) for slot, token in world.waiting)
        return tuple(members), tuple(nodes), tuple(queue), tuple(waiting)

    def _number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _object(self, value: Any) -> int:
        """Number a value that lives long, such as a member, without hashing it twice."""
        known = self._of_object.get(id(value))
        if known is None:
            known = self._of_object[id(value)] = self._number(value), value
        return known[0]


def _token(token: Any, order: Order) -> Any:
    return None if token is None else (order[token[0]], *token[1:])


def _renamed(coordinator: Any, order: Order) -> Any:
    """Return a coordinator in which the requests that are parked come from members under other numbers."""
    roster = tuple(
        replace(one, joining=_token(one.joining, order), syncing=_token(one.syncing, order))
        for one in coordinator.roster
    )
    waiting = tuple(replace(one, token=_token(one.token, order)) for one in coordinator.waiting)
    return replace(coordinator, roster=roster, waiting=waiting)


def _entry(act: Any, args: tuple[Any, ...], order: Order) -> Hashable:
    """Describe something under way without its time."""
    name = act.__name__
    if act is ring_member:
        return name, order[args[0]], args[1]
    if act is ring_coordinator:
        return name, args[0], args[1]
    if act is give_up:
        return name, order[args[0]], args[1], args[2]
    if act is hear:
        return name, _token(args[0].token, order), args[1], args[2]
    if act is arrive:
        return name, args[0], _token(args[1].token, order), args[1].request
    if act is commit:
        return name, args[0], args[1]
    member = act.__name__ in {"start", "replace_failed"}
    return (name, order[args[0]], *args[1:]) if member else (name, *args)
