"""What can be said of a coordinator from outside: the group as far as its answers tell, and the invariants by which each is judged.

Beside those that look at answers alone, at members, and at how a group ends, there are here those of a coordinator's steps
(:mod:`kassay.protocol.simulation.step_invariants`), as strict as one can be who sees no state: what could have gone well passes.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation import group_invariants
from kassay.protocol.simulation.step_invariants import (
    OUT,
    dropped_for_a_cause,
    fenced_by_generation,
    fenced_by_instance,
    given_as_set,
    known_by_what_it_says,
    leader_hears_of_all,
    requests_answered,
)
from kassay.reference.group.coordinator import Coordinator, Member
from kassay.reference.group.messages import (
    UNREADABLE,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    Protocol,
    SyncGroup,
    SyncGroupResponse,
)

COORDINATOR_INVARIANTS = tuple(
    one.__name__
    for one in (
        group_invariants.no_double_client_assignment,
        group_invariants.revoked_before_given,
        group_invariants.one_leader,
        group_invariants.generations_grow,
        group_invariants.member_generations_grow,
        group_invariants.commits_from_owners,
        group_invariants.single_writer,
        group_invariants.one_writer_at_a_time,
        group_invariants.supported_strategy,
        group_invariants.no_member_fails,
        requests_answered,
        dropped_for_a_cause,
        leader_hears_of_all,
        fenced_by_instance,
        fenced_by_generation,
        known_by_what_it_says,
        given_as_set,
        group_invariants.eventually_converges,
        group_invariants.legal_target_assignment,
        group_invariants.bounded_rounds,
        group_invariants.owned_in_time,
        group_invariants.stays_stable,
    )
)
"""The invariants that a coordinator is held to of which only answers are seen."""


class Dialled(Struct, frozen=True):
    """A request on its way to a coordinator: when it went, in milliseconds, and what was known then: the newest generation, and whose instance ids were."""

    request: Any
    at: int
    newest: int
    holders: dict[str, str]


class Outside:
    """What is known of a group from outside.

    Members are kept by who they are: the instance id of a static one, else the id. `told` are those that were told of each generation, and `listed`
    those of which its leader was told; `offered` the states that leaders sent; `said` what each member has joined with since it was last answered, and each client without an id;
    `holders` who has each instance id; `alive` when a member's heartbeat or SyncGroup was last taken, and in which generation.
    """

    def __init__(self) -> None:
        """Begin with a group of which nothing is known."""
        self.generation = 0
        self.protocol: str | None = None
        self.leader: str | None = None
        self.roster: dict[str, Member] = {}
        self.synced: set[str] = set()
        self.replaced: tuple[str, ...] = ()
        self.told: dict[int, set[str]] = {}
        self.listed: dict[int, set[str]] = {}
        self.offered: dict[int, list[dict[str, Any]]] = {}
        self.said: dict[str, list[tuple[Protocol, ...]]] = {}
        self.holders: dict[str, str] = {}
        self.alive: dict[str, tuple[int, int]] = {}

    def ask(self, request: Any, now: int, newest: int) -> Dialled:
        """Note that something is asked."""
        if type(request) is JoinGroup:
            self.said.setdefault(request.member_id or _client(request), []).append(request.protocols)
            if any(one.metadata == UNREADABLE for one in request.protocols):
                self.roster[_client(request)] = _member(request, request.member_id)
        elif type(request) is SyncGroup and request.states:
            self.offered.setdefault(request.generation, []).append(
                {_who(name): state for name, state in request.states}
            )
        elif type(request) is LeaveGroup:
            for one in request.members:
                self.alive.pop(one.member_id, None)
        return Dialled(request, now, newest, dict(self.holders))

    def answer(self, dialled: Dialled, response: Any, now: int) -> Iterator[tuple[str, str]]:
        """Take note of an answer; yield which invariants it breaks, each with a sentence."""
        taken = _TAKEN.get(type(response))
        if taken is not None:
            taken(self, dialled.request, response, dialled.at)
        for invariant in _JUDGING:
            sentence = invariant(self, dialled, response, now)
            if sentence is not None:
                yield invariant.__name__.removeprefix("_"), sentence
        request = dialled.request
        if type(response) is HeartbeatResponse:
            if response.error is Error.NONE:
                self.alive[request.member_id] = dialled.at, request.generation
            else:
                self.alive.pop(request.member_id, None)
        if response.error in OUT and getattr(request, "generation", self.generation) == self.generation:
            self._forget(request.member_id)

    def seen(self) -> Coordinator:
        """Return the coordinator as far as it is seen: stable where all that its leader was told of have their states."""
        complete = self.generation in self.listed and self.roster and self.roster.keys() <= self.synced
        return Coordinator(
            state="Stable" if complete else "AwaitSync",
            generation=self.generation,
            protocol=self.protocol,
            leader=self.leader,
            roster=tuple(self.roster.values()),
            unsynced=self.replaced,
        )

    def _forget(self, member_id: str) -> None:
        self.roster = {who: one for who, one in self.roster.items() if one.member_id != member_id}
        self.alive.pop(member_id, None)

    def joined(self, request: JoinGroup, response: JoinGroupResponse, _: int) -> None:
        """Take note of who is in which generation."""
        if response.error is not Error.NONE:
            return
        own, generation = response.member_id, response.generation
        if generation > self.generation:
            self.generation, self.protocol, self.leader = generation, response.protocol, response.leader
            self.roster, self.synced, self.replaced = {}, set(), ()
        if request.instance_id is not None:
            before = self.holders.get(request.instance_id)
            if before not in (None, own) and _who(own) not in self.synced:
                self.replaced = (*self.replaced, before or "")
            self.holders[request.instance_id] = own
        self.told.setdefault(generation, set()).add(_who(own))
        if response.members:
            self.listed[generation] = {_who(one.member_id) for one in response.members}
        if generation < self.generation:
            return
        for one in response.members:
            protocols = (Protocol(response.protocol or "", one.metadata),)
            known = _member(request, one.member_id)
            self.roster[_who(one.member_id)] = replace(
                known, instance_id=one.instance_id, protocols=protocols
            )
        self.roster[_who(own)] = _member(request, own)

    def synchronised(self, request: SyncGroup, response: SyncGroupResponse, at: int) -> None:
        """Take note of who has its state."""
        if response.error is Error.NONE and request.generation == self.generation:
            self.synced.add(_who(request.member_id))
            self.alive[request.member_id] = at, request.generation

    def left(self, request: LeaveGroup, response: LeaveGroupResponse, _: int) -> None:
        """Take note of who is gone."""
        if response.error is Error.NONE:
            for one in request.members:
                self._forget(one.member_id)


_TAKEN: dict[type, Callable[[Outside, Any, Any, int], None]] = {
    JoinGroupResponse: Outside.joined,
    SyncGroupResponse: Outside.synchronised,
    LeaveGroupResponse: Outside.left,
}
Judging: TypeAlias = Callable[[Outside, Dialled, Any, int], str | None]


def _who(name: str) -> str:
    """Return what stays the same of a member: the instance of a static one, whose names of ids begin with i, else the name of its id."""
    return name.rpartition("-")[0] if name.startswith("i") else name


def _client(request: JoinGroup) -> str:
    return request.instance_id or request.client_id


def _member(request: JoinGroup, member_id: str) -> Member:
    return Member(
        member_id=member_id,
        instance_id=request.instance_id,
        client_id=request.client_id,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        protocols=request.protocols,
    )


def _leader_hears_of_all(known: Outside, _dialled: Dialled, response: Any, _: int) -> str | None:
    if type(response) is not JoinGroupResponse or response.error is not Error.NONE:
        return None
    generation = response.generation
    missing = known.told[generation] - known.listed.get(generation, known.told[generation])
    if not missing:
        return None
    return f"{response.leader} is not told of {min(missing)}, a member of generation {generation}"


def _known_by_what_it_says(known: Outside, dialled: Dialled, response: Any, _: int) -> str | None:
    if type(response) is not JoinGroupResponse or response.error is not Error.NONE:
        return None
    wrong = None
    for one in response.members:
        client = one.instance_id or one.member_id.rpartition("-")[0]
        own = [known.said[key] for key in (one.member_id, client) if key in known.said]
        of = own or known.said.values()  # whose id it is, its own answer tells
        said = {
            each.metadata
            for joins in of
            for protocols in joins
            for each in protocols
            if each.name == response.protocol
        }
        if one.metadata not in said:
            wrong = f"the leader of generation {response.generation} is told other metadata of {one.member_id} than it joined with"
    mine = known.said.get(dialled.request.member_id, [])
    at = next((n for n, one in enumerate(mine) if one is dialled.request.protocols), 0)
    del mine[:at]
    return wrong


def _given_as_set(known: Outside, dialled: Dialled, response: Any, _: int) -> str | None:
    if type(response) is not SyncGroupResponse or response.error is not Error.NONE:
        return None
    request = dialled.request
    offered = known.offered.get(request.generation)
    if offered is None:
        return f"{request.member_id} is given a state in generation {request.generation}, whose leader has sent none"
    if any(one.get(_who(request.member_id)) == response.state for one in offered):
        return None
    return f"{request.member_id} is given another state than was set for it"


def _fenced_by_generation(_known: Outside, dialled: Dialled, response: Any, _: int) -> str | None:
    request = dialled.request
    if type(request) not in (Heartbeat, SyncGroup) or response.error is not Error.NONE:
        return None
    if request.generation >= dialled.newest:
        return None
    of = f"a {type(request).__name__} of generation {request.generation} by {request.member_id}"
    return f"{of} is accepted in {dialled.newest}"


def _fenced_by_instance(_known: Outside, dialled: Dialled, response: Any, _: int) -> str | None:
    request = dialled.request
    if type(request) is LeaveGroup or request.instance_id is None or not request.member_id:
        return None
    holder = dialled.holders.get(request.instance_id)
    if holder in (None, request.member_id):
        return None
    instance = request.instance_id
    if response.error is Error.UNKNOWN_MEMBER_ID:
        return (
            f"{request.member_id} is told that it is unknown, while {holder} has its instance id {instance}"
        )
    if response.error is Error.NONE:
        return f"a {type(request).__name__} of {request.member_id} is accepted, while {holder} has its instance id {instance}"
    return None


def _dropped_for_a_cause(known: Outside, dialled: Dialled, response: Any, now: int) -> str | None:
    """Judge that who is unknown had been silent: whose heartbeat was taken less than a session ago in this generation was not."""
    request = dialled.request
    if response.error is not Error.UNKNOWN_MEMBER_ID or type(request) is LeaveGroup:
        return None
    member = next((one for one in known.roster.values() if one.member_id == request.member_id), None)
    if member is None or request.member_id not in known.alive:
        return None
    at, generation = known.alive[request.member_id]
    silent = now - at
    bound = min(member.session_timeout_ms, member.rebalance_timeout_ms)
    settled = generation == known.generation and _who(request.member_id) in known.synced
    if not settled or silent >= bound:
        return None
    return f"{request.member_id} is dropped {silent} ms after it was counted in; its session is {member.session_timeout_ms} ms"


_JUDGING: tuple[Judging, ...] = (
    _leader_hears_of_all,
    _known_by_what_it_says,
    _given_as_set,
    _fenced_by_generation,
    _fenced_by_instance,
    _dropped_for_a_cause,
)


GRACE_MS = 1_000
"""How long after a client has lost a partition requests for it may still be under way."""


def claims_what_it_was_given(member: Any, claimed: Iterable[Any]) -> str | None:
    """A cooperative member that joins claims nothing that it was not given, or that it has lost with its place in the group (KIP-429)."""
    foreign = [str(item) for item in claimed if item not in member.owned]
    if not foreign:
        return None
    since = "after it has lost its place" if member.generation < 0 else f"in generation {member.generation}"
    return (
        f"{member.member_id or 'member 0'} joins with {', '.join(foreign[:3])}, which it does not own {since}"
    )


def keeps_what_it_may(member: Any, claimed: Iterable[Any]) -> str | None:
    """A cooperative member keeps what it owns while it joins again (KIP-429)."""
    kept = {*claimed}
    left = [str(item) for item in member.owned if item not in kept]
    if not left:
        return None
    return f"{member.member_id} gives up {', '.join(left[:3])} before it joins again in generation {member.generation}"


def reads_what_it_owns(member: Any, read: Iterable[Any]) -> str | None:
    """A client fetches records of partitions alone that it owns, or has lost less than a second ago."""
    foreign = [str(item) for item in read]
    return (
        f"{member.member_id or 'member 0'} reads {', '.join(foreign[:3])}, which it does not own"
        if foreign
        else None
    )


def says_what_can_be_read(member: Any, why: str) -> str | None:
    """What a client sends can be read: requests, its subscription, and the assignments that it gives as a leader."""
    return f"{member.member_id or 'member 0'} sends what cannot be read: {why}"


def goes_on(slot: int, how: str) -> str | None:
    """A client that nobody ends goes on."""
    return f"member {slot}: {how}"


OF_CLIENTS: dict[str, Callable[..., str | None]] = {
    one.__name__: one
    for one in (
        claims_what_it_was_given,
        keeps_what_it_may,
        reads_what_it_owns,
        says_what_can_be_read,
        goes_on,
    )
}
CLIENT_INVARIANTS = (
    *OF_CLIENTS,
    *(
        one.__name__
        for one in (
            invariants.no_double_client_assignment,
            invariants.revoked_before_given,
            invariants.commits_from_owners,
            invariants.eventually_converges,
            invariants.legal_target_assignment,
            invariants.bounded_rounds,
            invariants.owned_in_time,
            invariants.stays_stable,
        )
    ),
)
"""The invariants that a client is held to."""
