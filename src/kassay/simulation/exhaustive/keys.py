"""Keys of worlds: equal where nothing that can follow differs, but for times.

Requests are numbered from the last moment at which their member had none under way, so that a heartbeat that came and went changes nothing. Members of a group that has
formed are never alike, as the coordinator knows in which order they came; so their numbers stay as they are.
"""

from collections.abc import Hashable
from typing import Any

from kassay.simulation.steps import arrive, commit, give_up, hear, ring_coordinator, ring_member
from kassay.simulation.world import Asking, World


class Keys:
    """Makes keys."""

    def __init__(self) -> None:
        """Begin without any value known."""
        self._numbers: dict[Hashable, int] = {}
        self._of_object: dict[int, tuple[int, Any]] = {}

    def of(self, world: World, faults: int) -> Hashable:
        """Return the key of a world that so many more faults may strike."""
        history, number = world.history, self._number
        common = number((
            faults, world.active, world.epoch, world.brokers, world.refuses, world.slow_log, world.log, world.cluster,
            history.newest, history.awaited, history.moved, history.late, history.withdrawn, history.unheard, history.stopped, history.twins,
            *(frozenset(of.items()) for of in (
                history.leaders, history.members, history.given, history.writers, history.told, history.wrote, history.states, history.skipped,
                history.metadata, history.came,
            )),
        ))  # fmt: skip
        members = tuple(
            (self._object(member), number(_process(world, slot))) for slot, member in enumerate(world.members)
        )
        nodes = tuple((node, self._object(of)) for node, of in sorted(world.nodes.items()))
        queue = sorted(number(_entry(world, act, args)) for _, _, act, args in world.queue)
        asked = sorted(
            number((node, token, _asking(world, asking), newest))
            for (node, token), (asking, newest) in world.asked.items()
        )
        waiting = sorted(number(_request(world, slot, token)) for slot, token in world.waiting)
        return common, members, nodes, tuple(queue), tuple(asked), tuple(waiting)

    def of_rest(self, world: World, faults: int) -> Hashable:
        """Return the key of a group at rest, which counts as another where it looks the same: who is in it, in which order, who leads and who owns what."""
        coordinator = world.nodes.get(world.active) if world.active is not None else None
        roster = () if coordinator is None else tuple(coordinator.members)
        places = {member_id: place for place, member_id in enumerate(roster)}
        return faults, world.cluster, tuple(
            None if one is None else (places.get(one.member_id), one.is_leader, one.owned, one.subscription, world.upgraded[slot])
            for slot, one in enumerate(world.members)
        )  # fmt: skip

    def _number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _object(self, value: Any) -> int:
        """Number a value that lives long, such as a member, without hashing it twice."""
        known = self._of_object.get(id(value))
        if known is None:
            known = self._of_object[id(value)] = self._number(value), value
        return known[0]


def _process(world: World, slot: int) -> Hashable:
    """Describe the process of a member: the how manieth it is, what it finds when it goes on, and what befalls its next messages."""
    asleep, link = world.asleep[slot], world.links.get(slot)
    return (
        world.lives[slot], world.upgraded[slot], slot in world.gone, None if asleep is None else tuple(asleep),
        None if link is None else (link.lost, link.twice, link.late, link.slow > world.now, link.cut > world.now),
    )  # fmt: skip


def _request(world: World, slot: int, token: Any) -> Hashable:
    return slot, token[0], token[1] - world.sent[slot]


def _asking(world: World, asking: Asking) -> Hashable:
    slot, life, token, copy = asking.token
    return life, _request(world, slot, token), copy, asking.request


def _entry(world: World, act: Any, args: tuple[Any, ...]) -> Hashable:
    """Describe something under way without its time."""
    name = act.__name__
    if act is ring_member or act is ring_coordinator or act is commit:
        return name, args[0], args[1]
    if act is give_up:
        slot, life, token = args
        return name, life, _request(world, slot, token)
    if act is hear:
        return name, _asking(world, args[0]), args[1], args[2]
    if act is arrive:
        return name, args[0], _asking(world, args[1])
    return name, *args
