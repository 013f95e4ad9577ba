"""Invariants of a group: safety at all times, and liveness after the last fault.

Each function returns a sentence if the invariant is broken, HELD if it was exercised, else None. If the published TLA+ specification of KIP-848 has the invariant too
(kafka-tlaplus, consumer_group_protocol_kip_848_v2.tla), its docstring ends with the name there.
"""

from typing import Any

from kassay.protocol.simulation.invariants import HELD
from kassay.protocol.simulation.world import History, World
from kassay.reference.group.coordinator.state import ItemsCommitted
from kassay.reference.group.messages import Error, JoinGroup, JoinGroupResponse, OffsetCommit

MOST_ROUNDS = 3


def find_lasting_name(history: History, member_id: str) -> str:
    """Return the name of a member; a static member has its instance id, because its member ids change."""
    return member_id.rpartition("-")[0] if history.static else member_id


def one_leader(history: History, _request: JoinGroup, response: JoinGroupResponse) -> str | None:
    """All members of a generation receive the same leader."""
    leader = find_lasting_name(history, response.leader)
    known = history.leaders.get(response.generation)
    if known in {None, leader}:
        return None if known is None else HELD
    return f"generation {response.generation} has two leaders, {known} and {leader}"


def generations_grow(history: History, _request: JoinGroup, response: JoinGroupResponse) -> str | None:
    """A new generation has a higher number than all before it, and its members stay as its leader received them.

    GcSideMemberEpochIsMonotonic, for a group.
    """
    if not response.members:
        return None
    told = frozenset(find_lasting_name(history, member.member_id) for member in response.members)
    known = history.members.get(response.generation)
    if known is not None and known != told:
        groups = [" and ".join(sorted(names)) for names in (known, told)]
        return f"generation {response.generation} has two sets of members: {groups[0]}, or {groups[1]}"
    if known is None and response.generation < history.newest:
        return f"generation {response.generation} begins after {history.newest}"
    return HELD


def supported_strategy(_history: History, request: JoinGroup, response: JoinGroupResponse) -> str | None:
    """The protocol of a generation is one that the member listed in its JoinGroup."""
    if any(protocol.name == response.protocol for protocol in request.protocols):
        return HELD
    named = ", ".join(protocol.name for protocol in request.protocols)
    return f"{response.member_id} supports {named}, but the generation has {response.protocol}"


def commits_from_owners(history: History, request: OffsetCommit, newest: int) -> str | None:
    """A commit is accepted only from a member of the newest generation at its arrival, for items assigned to the member in it."""
    if request.generation < 0:
        return None
    if request.generation < newest:
        return f"a commit of generation {request.generation} by {request.member_id} is accepted in {newest}"
    given = history.given.get((request.generation, request.member_id), frozenset())
    foreign = [str(item) for item in request.items if item not in given]
    if foreign:
        return f"a commit by {request.member_id} of {', '.join(foreign)} is accepted, which were not assigned to it"
    return HELD


def acknowledged_commits_are_written(world: World, request: OffsetCommit) -> str | None:
    """A commit is accepted only if the log has it: each accepted commit has a record of its own."""
    items = request.items
    if not items:
        return None
    accepted = world.history.acknowledged[items] = world.history.acknowledged.get(items, 0) + 1
    written = sum(type(record) is ItemsCommitted and record.items == items for record in world.log)
    if written >= accepted:
        return HELD
    return f"a commit of {', '.join(map(str, items))} by {request.member_id} is accepted, which is not in the log"


def no_member_fails(slot: int, error: Error) -> str | None:
    """No member fails with an error that it did not cause, such as FENCED_INSTANCE_ID without a new process of its instance id."""
    if error in {Error.INCONSISTENT_GROUP_PROTOCOL, Error.ASSIGNMENT_FAILED}:
        return None
    return f"member {slot} ends with {error.name}"


def one_writer_at_a_time(world: World, slot: int, _before: Any) -> str | None:
    """If the use allows a single writer, only one running process works at a time, even across generations."""
    own = world.members[slot]
    if world.setting.use != "single-writer" or not own.owned or world.asleep[slot] is not None:
        return None
    for other, member in enumerate(world.members):
        if other != slot and member is not None and member.owned and world.asleep[other] is None:
            return f"{own.member_id} writes in generation {own.generation} while {member.member_id} does in {member.generation}"
    return HELD


def single_writer(history: History, request: OffsetCommit, _newest: int) -> str | None:
    """In one generation the writes of only one member are accepted."""
    known = history.writers.get(request.generation)
    if known in {None, request.member_id}:
        return None if known is None else HELD
    return f"{known} and {request.member_id} both write in generation {request.generation}"


def no_double_client_assignment(world: World, slot: int, _before: Any) -> str | None:
    """No item is owned by two live members of the same generation.

    NoDoubleClientAssignment.
    """
    own, result = world.members[slot], None
    owned = frozenset(own.owned)
    for other, member in enumerate(world.members):
        if member is None or other == slot or member.generation != own.generation:
            continue
        if owned.isdisjoint(member.owned):
            result = HELD if owned and member.owned else result
            continue
        if world.setting.static and member.config.instance_id == own.config.instance_id:
            continue  # for the group they are one member, until the older process is fenced
        both = next(item for item in own.owned if item in member.owned)
        return f"{own.member_id} and {member.member_id} both own {both} in generation {own.generation}"
    return result


def revoked_before_given(world: World, slot: int, before: Any) -> str | None:
    """No item is assigned to a member while another dynamic member of its generation still owns it from an older one."""
    own = world.members[slot]
    new = [item for item in own.owned if item not in before.owned]
    if not new:
        return None
    generation, result = own.generation, None
    group = world.history.members.get(generation, frozenset())
    for other, member in enumerate(world.members):
        if member is None or other == slot or member.generation >= generation or world.setting.static:
            continue
        if not member.owned or find_lasting_name(world.history, member.member_id) not in group:
            continue
        result = HELD
        both = [item for item in new if item in member.owned]
        if both:
            return f"{own.member_id} gets {both[0]} in generation {generation} while {member.member_id} still owns it from {member.generation}"
    return result


def member_generations_grow(world: World, slot: int, before: Any) -> str | None:
    """The generation of a member never falls, except for a restart after it was fenced.

    ClientSideMemberEpochIsMonotonic.
    """
    after = world.members[slot]
    same = after.generation == before.generation or after.member_id != before.member_id
    if same or after.generation < 0 or before.generation < 0:
        return None
    if after.generation > before.generation:
        return HELD
    return f"{after.member_id} goes from generation {before.generation} back to {after.generation}"


def lost_for_a_cause(world: World, slot: int, before: Any) -> str | None:
    """A member that polls drops its items as lost only if its coordinator no longer counts it into its generation."""
    after = world.members[slot]
    if not before.owned or after.owned or after.generation >= 0 or before.generation < 0:
        return None
    coordinator = world.coordinator
    if after.phase in ("Closed", "Failed") or after.stalled or coordinator is None:
        return None
    counted = coordinator.generation == before.generation and before.member_id in coordinator.members
    lost = f"{before.member_id} drops {before.owned[0]} in generation {before.generation}"
    return f"{lost}, in which the coordinator still counts it" if counted else HELD


def eventually_converges(world: World) -> str | None:
    """After the last fault, all members come to work in one generation of a stable coordinator.

    EventuallyConverges.
    """
    if is_stable(world):
        return HELD
    active = world.coordinator
    phases = ", ".join(
        ("removed" if slot in world.gone else "stopped")
        if one is None
        else f"{one.phase} in {one.generation}"
        for slot, one in enumerate(world.members)
    )
    state = (
        "there is no coordinator"
        if active is None
        else f"the coordinator is {active.state} in {active.generation}"
    )
    return f"the group is not stable long after the last fault: {state}, members are {phases}"


def legal_target_assignment(world: World) -> str | None:
    """In a stable group each item to which a member subscribes has an owner.

    LegalTargetAssignment.
    """
    missing = [str(item) for item in find_unowned(world)]
    return f"no member owns {', '.join(missing[:3])} in a stable group" if missing else HELD


def only_what_is_wanted(world: World) -> str | None:
    """In a stable group no member owns an item to which it does not subscribe."""
    for one in world.members:
        if one is not None and not one.use.fits(one.subscription, one.cluster, one.owned):
            return (
                f"{one.member_id} owns an item of a topic to which it does not subscribe, in a stable group"
            )
    return HELD


def find_unowned(world: World) -> list[Any]:
    """Return the items to which a member subscribes and that no member owns."""
    members = [member for member in world.members if member is not None]
    owned = {item for member in members for item in member.owned}
    whole = world.table.use.whole(world.cluster, [member.subscription for member in members])
    return [item for item in whole if item not in owned]


def bounded_rounds(world: World, rounds: int) -> str | None:
    """After the last fault, at most three generations for each member begin."""
    most = MOST_ROUNDS * world.setting.members
    return f"{rounds} generations begin after the last fault" if rounds > most else HELD


def owned_in_time(world: World) -> str | None:
    """After the last fault, each item to which a member subscribes soon has an owner.

    The bound is a session timeout, a rebalance timeout, and the time after which a member gives up on a request.
    """
    missing = [str(item) for item in find_unowned(world)]
    return f"no member owns {', '.join(missing[:3])} long after the last fault" if missing else HELD


def stays_stable(world: World, rounds: int) -> str | None:
    """In a stable group without faults no other generation begins."""
    more = world.history.rounds - rounds
    return f"{more} more generations begin in a stable group" if more else HELD


def is_stable(world: World) -> bool:
    """Return True if all members work in the coordinator's generation, and no other member is in it."""
    coordinator = world.coordinator
    if coordinator is None or coordinator.state != "Stable":
        return False
    generation = coordinator.generation
    members = [one for slot, one in enumerate(world.members) if slot not in world.gone]
    for member in members:
        if member is None or member.phase != "Stable" or member.generation != generation or member.rejoins:
            return False
        if member.cluster != world.cluster or member.node != world.active:
            return False
    roster = coordinator.roster
    if len(roster) != len(members) or any(known.to_resync for known in roster):
        return False
    ids = {known.member_id for known in roster}
    return all(member.member_id in ids for member in members)
