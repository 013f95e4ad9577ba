"""Known defects of the protocol: the invariant that each breaks, the coordinators that have it, and the condition that shows it.

The faults of a schedule never identify a violation: another defect under the same faults is a new one. If items have no owner in a stable
group, each of them must be explained.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from kassay.protocol.simulation.invariants.groups import find_unowned
from kassay.protocol.simulation.world import World
from kassay.reference.group.behaviour import RELEASES, kafka
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.coordinator.state import metadata
from kassay.reference.group.member.joining import prepare_choice
from kassay.reference.group.messages import UNREADABLE, Error


def leader_withdrew_what_was_not_learned(world: World) -> bool:
    """The leader moved an item twice in one generation (4a), before its new cooperative owner heard of it: no member revokes it and joins again."""
    history, missing = world.history, find_unowned(world)
    return bool(missing) and all((history.newest, item) in history.withdrawn for item in missing)


def older_states_came_again(world: World) -> bool:
    """The leader's SyncGroup with older states arrived after the one with newer states of the same generation (4a), and no field shows the order."""
    newest, missing = world.history.newest, {*find_unowned(world)}
    for member in world.members:
        if member is not None and member.is_leader and member.generation == newest:
            gives = {item for _, state in member.states for item in world.table.machines.items(state)}
            return member.states != world.history.states.get(newest) and bool(missing) and missing <= gives
    return False


def nobody_heard_the_answer(world: World) -> bool:
    """A copy of a member's SyncGroup arrived after newer states of the leader (4a): the coordinator counts the member as informed, but the member dropped the response."""
    history, items, missing = world.history, world.table.machines.items, {*find_unowned(world)}
    newest = history.newest
    missed = {
        item
        for member in world.members
        if member is not None and not member.is_leader and (newest, member.member_id) in history.unheard
        for item in history.given[newest, member.member_id] - {*items(member.state)}
    }
    return bool(missing) and missing <= missed


def who_was_to_give_it_up_came_back(world: World) -> bool:
    """A static member that had to revoke something came back in a stable group. It owns nothing to revoke, so no member joins again."""
    return _is_one(world, _find_unrevoked(world))


def leader_was_told_to_skip(world: World) -> bool:
    """The static leader came back after a topic had grown, and got the assignment from before, in which no member has the new partitions."""
    return _is_one(world, _find_new(world))


def came_back_subscribed_to_more(world: World) -> bool:
    """A static member came back with more topics in a stable group. The group keeps its assignment, in which no member has these topics (KAFKA-12759)."""
    return _is_one(world, _find_newly_subscribed(world))


def _is_one(world: World, own: set[Any]) -> bool:
    """Return True if some of these items have no owner, and a defect of static members explains all other items without one."""
    missing = {*find_unowned(world)}
    return bool(missing & own) and missing <= _find_unrevoked(world) | _find_new(
        world
    ) | _find_newly_subscribed(world)


def _find_unrevoked(world: World) -> set[Any]:
    """Return the items that the newest states assign to no member, and that a stopped process had before."""
    history, generation = world.history, world.history.newest
    now = {member.member_id for member in world.members if member is not None}
    states = history.states.get(generation, ())
    given = {item for _, state in states for item in world.table.machines.items(state)}
    gone = [member for member, _ in states if member not in now]
    had: set[Any] = set()
    for member in gone:
        before = sorted(number for number, name in history.given if name == member and number < generation)
        # The last two: a member that does not poll still has the items that it had to revoke in the second.
        had.update(*(history.given[number, member] for number in before[-2:]))
    return had & _find_subscribed(world, world.cluster) - given


def _find_new(world: World) -> set[Any]:
    """Return the new items of the group's topics that no member ever had, because the leader had to keep the assignment and assumes that they are in it."""
    use, history = world.table.use, world.history
    for member in world.members:
        if member is None or history.skipped.get(member.generation) != member.member_id:
            continue
        if member.is_leader and member.watched == member.use.watched(prepare_choice(member)):
            old = _find_subscribed(world, use.cluster(world.setting)).union(*history.given.values())
            return _find_subscribed(world, world.cluster) - old
    return set()


def _find_newly_subscribed(world: World) -> set[Any]:
    """Return the items to which a member subscribes now, and no member did when the newest generation began."""
    coordinator = world.coordinator
    if coordinator is None or world.history.newest not in world.history.metadata:
        return set()
    now = [metadata(member, coordinator.protocol) for member in coordinator.roster]
    return _list_shared_items(world, world.cluster, now) - _find_subscribed(world, world.cluster)


def _find_subscribed(world: World, cluster: Any) -> set[Any]:
    """Return the items of a cluster to which the members subscribed when the newest generation began."""
    return _list_shared_items(world, cluster, world.history.metadata.get(world.history.newest, ()))


def _list_shared_items(world: World, cluster: Any, told: Iterable[Any]) -> set[Any]:
    """Return the items of a cluster that members with these metadata share."""
    return {*world.table.use.whole(cluster, [one for one in told if one != UNREADABLE])}


NOBODY: frozenset[int] = frozenset()
KAFKA = tuple(f"kafka@{release}" for release in RELEASES)
STOPPING = tuple(f"kafka@{release}" for release in RELEASES if kafka(release).stops_at_unreadable)
EVERY = ("proposal", "unpersisted", *KAFKA)


class Defect(Struct, frozen=True):
    """A known defect: `meets` gets the world and the input of the invariant."""

    coordinators: tuple[str, ...]
    breaks: str
    meets: Callable[..., bool]

    @property
    def name(self) -> str:
        """The name of the defect."""
        return self.meets.__name__


def _may_lose_generation(world: World, generation: int, nodes: frozenset[int]) -> bool:
    """Return True if, of the brokers that sent a generation to members, at most the last one has written it to the log."""
    wrote = world.history.wrote.get(generation, NOBODY)
    return not nodes - {max(nodes)} & wrote


def generation_was_not_written(world: World, node: int, _request: Any, response: Any) -> bool:
    """A broker sent a generation to members, and another one took over before it was written. So its number is used again."""
    told = world.history.told
    later = {
        generation: nodes | {node}
        for generation, nodes in told.items()
        if generation >= response.generation and nodes - {node}
    }
    return bool(later) and all(
        _may_lose_generation(world, generation, nodes) for generation, nodes in later.items()
    )


def members_of_two_generations_of_one_number(world: World, slot: int, _before: Any) -> bool:
    """Two brokers sent generations of the same number to members, and the first one was not written."""
    generation = world.members[slot].generation
    nodes = world.history.told.get(generation, NOBODY)
    return len(nodes) > 1 and _may_lose_generation(world, generation, nodes)


def commit_in_another_generation_of_that_number(world: World, node: int, request: Any, _newest: int) -> bool:
    """A commit is accepted by a broker whose generation of that number has other members than the generation of the member."""
    nodes = world.history.told.get(request.generation, NOBODY) | {node}
    return len(nodes) > 1 and _may_lose_generation(world, request.generation, nodes)


def later_generations_were_not_written(world: World, node: int, request: Any, newest: int) -> bool:
    """A commit is accepted in the generation of the log, to which the member returned from a generation that was not written."""
    history = world.history
    later = [number for number in history.told if request.generation < number <= newest]
    if world.nodes[node].generation != request.generation:
        return False
    return bool(later) and not any(history.wrote.get(number) for number in later)


def member_was_told_of_an_unwritten_generation(world: World, _slot: int, before: Any) -> bool:
    """A member got a generation that was not written, and returns to an older one."""
    return _is_unwritten(world, before.generation)


def new_id_was_not_written(world: World, _slot: int, before: Any, error: Error) -> bool:
    """A static member got a new id in a generation that was not written, so its old id counts again."""
    return error is Error.FENCED_INSTANCE_ID and _is_unwritten(world, before.generation)


def _is_unwritten(world: World, generation: int) -> bool:
    history = world.history
    return bool(history.told.get(generation, NOBODY) - history.wrote.get(generation, NOBODY))


def own_join_came_twice(world: World, slot: int, before: Any, error: Error) -> bool:
    """A JoinGroup of a static member arrived twice, or after its repetition. It replaced the one that arrived first, whose response fences the member."""
    at, life, again = _find_last_join(world, slot, before)
    return error is Error.FENCED_INSTANCE_ID and (at, life) == (slot, world.lives[slot]) and again


def join_of_an_older_process_came_later(world: World, slot: int, before: Any, error: Error) -> bool:
    """A JoinGroup of a stopped process arrived after the JoinGroup of the next process of its static member, replaced that and fences it."""
    at, life, _ = _find_last_join(world, slot, before)
    return error is Error.FENCED_INSTANCE_ID and life < world.lives[at]


def _find_last_join(world: World, slot: int, before: Any) -> tuple[int, int, bool]:
    """Return slot and number of the process of the last JoinGroup without a member id, and True if it arrived after a copy or a later one."""
    at, life, again, _ = world.history.came.get(
        before.config.instance_id, (slot, world.lives[slot], False, 0)
    )
    return at, life, again


def metadata_could_not_be_read(world: World, *_about: Any) -> bool:
    """The coordinator has a member with unreadable metadata, so no join phase ends (KAFKA-20570)."""
    coordinator = world.coordinator
    return coordinator is not None and has_unreadable_member(coordinator)


def has_unreadable_member(coordinator: Coordinator) -> bool:
    """Return True if a coordinator has a member with unreadable metadata."""
    return any(own.metadata == UNREADABLE for member in coordinator.roster for own in member.protocols)


def answered_for_one_that_cannot_be_read(world: World, slot: int, _before: Any, error: Error) -> bool:
    """A member's JoinGroup had to end the join phase while the coordinator had a member with unreadable metadata, and got an error (KAFKA-20570)."""
    return error is Error.UNKNOWN_SERVER_ERROR and (slot, world.lives[slot]) in world.history.stopped


def request_was_stopped_by_one_that_cannot_be_read(world: World, node: int) -> bool:
    """A join phase ended with an error because of a member with unreadable metadata, and parked requests get no response (KAFKA-20570)."""
    return has_unreadable_member(world.nodes[node]) or bool(world.history.stopped)


def first_join_phase_was_stopped(world: World, *_about: Any) -> bool:
    """Unreadable metadata stopped the first join phase of a group, and no timer ends it (KAFKA-20570)."""
    coordinator = world.coordinator
    if coordinator is None or coordinator.state != "Joining" or not coordinator.is_initial:
        return False
    return (("broker", world.active), "rebalance") not in world.timers


def old_id_was_awaited(world: World, rounds: int) -> bool:
    """A static member came back in a stable group before it had synchronised, and the coordinator waits for the SyncGroup of its old id. Partitions that cooperative members then revoke need one more generation."""
    history = world.history
    begun = history.newest - (history.rounds - rounds)
    if history.awaited == begun:
        return True
    # Cooperative members then revoke items that they got in the generation before.
    return (
        world.setting.cooperative
        and history.awaited == begun - 1
        and any(
            items - history.given.get((begun, member), NOBODY)
            for (number, member), items in history.given.items()
            if number == begun - 1
        )
    )


def came_back_subscribed_to_other(world: World) -> bool:
    """A static member came back with other topics in a stable group, so it may not take up its items, and joins again without end."""
    coordinator = world.coordinator
    if coordinator is None or coordinator.state != "Stable":
        return False
    told = world.history.metadata.get(coordinator.generation, ())
    for member in world.members:
        known = None if member is None else coordinator.members.get(member.member_id)
        if known is None or metadata(known, coordinator.protocol) in told:
            continue
        if not member.use.fits(member.subscription, member.cluster, member.use.items(known.state)):
            return True
    return False


def only_the_chosen_protocol_was_written(world: World) -> bool:
    """After a failover the coordinator knows only the chosen protocol of a member, and refuses members without it."""
    coordinator = world.coordinator
    if coordinator is None:
        return False
    members = [member for member in world.members if member is not None]
    known = coordinator.members
    narrowed = [
        {protocol.name for protocol in known[member.member_id].protocols}
        for member in members
        if member.member_id in known and len(known[member.member_id].protocols) == 1 < len(member.supports)
    ]
    refused = [member for member in members if member.member_id not in known]
    return any(not names & {*member.supports} for names in narrowed for member in refused)


def leader_gave_it_to_another(world: World, slot: int, _before: Any) -> bool:
    """The leader of a stable group moved an item to another member (4a), and its old owner does not know it yet."""
    own = world.members[slot]
    both = {
        (max(own.had_in, member.had_in), item)  # they may have kept it in a later generation
        for other, member in enumerate(world.members)
        if member is not None and other != slot and member.generation == own.generation
        for item in member.owned
        if item in own.owned
    }
    return both <= world.history.moved


def leader_gave_away_what_is_committed(world: World, _node: int, request: Any, newest: int) -> bool:
    """The leader of a stable group moved an item to another member (4a) while a commit of it was on its way."""
    given = world.history.given.get((request.generation, request.member_id), frozenset())
    foreign = [item for item in request.items if item not in given]
    moved = world.history.moved
    return request.generation >= newest and all((request.generation, item) in moved for item in foreign)


def old_coordinator_kept_the_lease(world: World, slot: int, _before: Any) -> bool:
    """An old coordinator went on after another one had taken over, and extends the lease of a writer that the new one has removed."""
    return any(member.generation in world.history.late for member in _find_writers(world, slot))


def new_coordinator_knows_no_lease(world: World, slot: int, _before: Any) -> bool:
    """A coordinator that reads no log makes another member the leader while the lease of the writer still runs."""
    own, *others = [
        world.history.told.get(member.generation, NOBODY) for member in _find_writers(world, slot)
    ]
    return any(max(own | nodes) > min(own | nodes) for nodes in others)


def old_coordinator_dropped_the_member(world: World, _slot: int, before: Any) -> bool:
    """An old coordinator does not know a member of the new one, and answers with UNKNOWN_MEMBER_ID."""
    return before.node is not None and before.node != world.active


def _find_writers(world: World, slot: int) -> Sequence[Any]:
    others = [member for other, member in enumerate(world.members) if other != slot and member is not None]
    return [world.members[slot], *(member for member in others if member.owned)]


DEFECTS: tuple[Defect, ...] = (
    Defect(("proposal", "unpersisted"), "no_double_client_assignment", leader_gave_it_to_another),
    Defect(("proposal", "unpersisted"), "commits_from_owners", leader_gave_away_what_is_committed),
    Defect(("proposal", "unpersisted"), "legal_target_assignment", leader_withdrew_what_was_not_learned),
    Defect(("proposal", "unpersisted"), "legal_target_assignment", older_states_came_again),
    Defect(("proposal", "unpersisted"), "legal_target_assignment", nobody_heard_the_answer),
    Defect(("proposal", *KAFKA), "eventually_converges", only_the_chosen_protocol_was_written),
    Defect(("proposal", *KAFKA), "owned_in_time", only_the_chosen_protocol_was_written),
    Defect(EVERY, "one_writer_at_a_time", old_coordinator_kept_the_lease),
    Defect(EVERY, "lost_for_a_cause", old_coordinator_dropped_the_member),
    Defect(("unpersisted",), "one_writer_at_a_time", new_coordinator_knows_no_lease),
    Defect(("unpersisted", *KAFKA), "generations_grow", generation_was_not_written),
    Defect(("unpersisted", *KAFKA), "one_leader", generation_was_not_written),
    Defect(("unpersisted", *KAFKA), "no_double_client_assignment", members_of_two_generations_of_one_number),
    Defect(KAFKA, "revoked_before_given", members_of_two_generations_of_one_number),
    Defect(("unpersisted",), "commits_from_owners", commit_in_another_generation_of_that_number),
    Defect(("unpersisted",), "single_writer", commit_in_another_generation_of_that_number),
    Defect(KAFKA, "commits_from_owners", later_generations_were_not_written),
    Defect(KAFKA, "member_generations_grow", member_was_told_of_an_unwritten_generation),
    Defect(KAFKA, "no_member_fails", new_id_was_not_written),
    Defect(KAFKA, "no_member_fails", own_join_came_twice),
    Defect(KAFKA, "no_member_fails", join_of_an_older_process_came_later),
    Defect(STOPPING, "no_member_fails", answered_for_one_that_cannot_be_read),
    Defect(STOPPING, "requests_answered", request_was_stopped_by_one_that_cannot_be_read),
    Defect(STOPPING, "eventually_converges", metadata_could_not_be_read),
    Defect(STOPPING, "eventually_converges", first_join_phase_was_stopped),
    Defect(STOPPING, "owned_in_time", metadata_could_not_be_read),
    Defect(STOPPING, "owned_in_time", first_join_phase_was_stopped),
    Defect(KAFKA, "stays_stable", old_id_was_awaited),
    Defect(KAFKA, "legal_target_assignment", who_was_to_give_it_up_came_back),
    Defect(KAFKA, "legal_target_assignment", leader_was_told_to_skip),
    Defect(KAFKA, "legal_target_assignment", came_back_subscribed_to_more),
    Defect(KAFKA, "runs_end", came_back_subscribed_to_other),
)
"""This simulator found each of them; docs/reference/simulation.md explains the causes."""


def find_known_defect(world: World, name: str, about: tuple[Any, ...]) -> str:
    """Return the known defect that causes a violation of an invariant, "" if it is a new one."""
    coordinator = world.setting.coordinator
    for defect in DEFECTS:
        if defect.breaks == name and coordinator in defect.coordinators and defect.meets(world, *about):
            return defect.name
    return ""
