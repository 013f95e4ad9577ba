"""Known defects by which nobody owns an item in a stable group: what must have happened for each such item to be of one."""

from collections.abc import Iterable
from typing import Any

from kassay.reference.group.coordinator.protocols import metadata
from kassay.reference.group.member.joining import choosing
from kassay.reference.group.messages import UNREADABLE
from kassay.simulation.judging.invariants import unowned
from kassay.simulation.world import World


def leader_withdrew_what_was_not_learned(world: World) -> bool:
    """The leader of a stable group moved an item anew (4a) before the cooperative member to whom it had given it learned of that, so that nobody gives it up and joins again."""
    history, missing = world.history, unowned(world)
    return bool(missing) and all((history.newest, item) in history.withdrawn for item in missing)


def older_states_came_again(world: World) -> bool:
    """The leader's SyncGroup with older states came after that with newer ones of the same generation (4a), and nothing tells which are newer."""
    newest, missing = world.history.newest, {*unowned(world)}
    for member in world.members:
        if member is not None and member.is_leader and member.generation == newest:
            gives = {item for _, state in member.states for item in world.table.machines.items(state)}
            return member.states != world.history.states.get(newest) and bool(missing) and missing <= gives
    return False


def nobody_heard_the_answer(world: World) -> bool:
    """A member's SyncGroup came again after the leader had set newer states (4a): the member counts as told, and has not heard the answer."""
    history, items, missing = world.history, world.table.machines.items, {*unowned(world)}
    newest = history.newest
    missed = {
        item
        for member in world.members
        if member is not None and not member.is_leader and (newest, member.member_id) in history.unheard
        for item in history.given[newest, member.member_id] - {*items(member.state)}
    }
    return bool(missing) and missing <= missed


def who_was_to_give_it_up_came_back(world: World) -> bool:
    """A static member that was to give something up came back in a stable group, owns nothing that it would give up, and nobody joins again."""
    return _is_one(world, _to_be_given_up(world))


def leader_was_told_to_skip(world: World) -> bool:
    """The static leader came back after a topic had grown, and was told to leave the assignment as it is, in which nobody has the new partitions."""
    return _is_one(world, _new(world))


def came_back_subscribed_to_more(world: World) -> bool:
    """A static member came back in a stable group subscribed to more, and the group keeps its assignment, in which nobody has what only it subscribes to (KAFKA-12759)."""
    return _is_one(world, _not_wanted(world))


def _is_one(world: World, own: set[Any]) -> bool:
    """Say whether nobody owns some of these, and what else nobody owns is so for another reason why a group of static members keeps its assignment."""
    missing = {*unowned(world)}
    return bool(missing & own) and missing <= _to_be_given_up(world) | _new(world) | _not_wanted(world)


def _to_be_given_up(world: World) -> set[Any]:
    """Return what nobody is given by the newest states that a process which is gone was given before."""
    history, generation = world.history, world.history.newest
    now = {member.member_id for member in world.members if member is not None}
    states = history.states.get(generation, ())
    given = {item for _, state in states for item in world.table.machines.items(state)}
    gone = [member for member, _ in states if member not in now]
    had = {item for member in gone for item in _given_before(world, generation, member)}
    return had & _wanted(world, world.cluster) - given


def _given_before(world: World, generation: int, member: str) -> frozenset[Any]:
    """Return what a member was given in the last two before a generation: who does not poll still has what it was to give up in the second."""
    given = world.history.given
    before = sorted(number for number, name in given if name == member and number < generation)
    return frozenset().union(*(given[number, member] for number in before[-2:]))


def _new(world: World) -> set[Any]:
    """Return what has come to topics of the group and nobody was given ever, where the leader was told to skip and takes it for assigned."""
    use, history = world.table.use, world.history
    for member in world.members:
        if member is None or history.skipped.get(member.generation) != member.member_id:
            continue
        if member.is_leader and member.watched == member.use.watched(choosing(member)):
            old = _wanted(world, use.cluster(world.setting)).union(*history.given.values())
            return _wanted(world, world.cluster) - old
    return set()


def _not_wanted(world: World) -> set[Any]:
    """Return what the coordinator knows to be subscribed to now and nobody subscribed to when the newest generation began."""
    coordinator = world.nodes.get(world.active) if world.active is not None else None
    if coordinator is None or world.history.newest not in world.history.metadata:
        return set()
    now = [metadata(member, coordinator.protocol) for member in coordinator.roster]
    return _whole(world, world.cluster, now) - _wanted(world, world.cluster)


def _wanted(world: World, cluster: Any) -> set[Any]:
    """Return what of a cluster the leader of the newest generation had to assign, by what its members subscribed to when it began."""
    return _whole(world, cluster, world.history.metadata.get(world.history.newest, ()))


def _whole(world: World, cluster: Any, told: Iterable[Any]) -> set[Any]:
    """Return what of a cluster those have to share who say this of themselves."""
    return {*world.table.use.whole(cluster, [one for one in told if one != UNREADABLE])}
