"""Invariants of external coordinators and clients: the group as its messages show it, and the checks of each response and request.

The invariants of a coordinator's steps (:mod:`kassay.protocol.simulation.invariants.steps`) are as strict here as they can be without its
state: a response that may be correct passes.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.invariants.steps import OUT
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

COORDINATOR_INVARIANTS = (
    "no_double_client_assignment",
    "revoked_before_given",
    "one_leader",
    "generations_grow",
    "member_generations_grow",
    "commits_from_owners",
    "single_writer",
    "one_writer_at_a_time",
    "supported_strategy",
    "no_member_fails",
    "requests_answered",
    "dropped_for_a_cause",
    "leader_hears_of_all",
    "fenced_by_instance",
    "fenced_by_generation",
    "known_by_what_it_says",
    "given_as_set",
    "eventually_converges",
    "legal_target_assignment",
    "bounded_rounds",
    "owned_in_time",
    "stays_stable",
)
"""The invariants that are checked at a coordinator whose state is unknown."""


class SentRequest(Struct, frozen=True):
    """A request on its way to a coordinator, with the group as observed when it was sent."""

    request: Any
    at: int
    """The time of the request, in milliseconds."""
    newest: int
    """The newest generation."""
    holders: dict[str, str]
    """The member of each instance id."""


class ObservedGroup:
    """A group as its requests and responses show it.

    Static members are identified by their instance id, all others by their member id.
    """

    def __init__(self) -> None:
        """Begin with an unknown group."""
        self.generation = 0
        self.protocol: str | None = None
        self.leader: str | None = None
        self.roster: dict[str, Member] = {}
        self.synced: set[str] = set()
        self.replaced: tuple[str, ...] = ()
        self.told: dict[int, set[str]] = {}
        """The members that received each generation."""
        self.listed: dict[int, set[str]] = {}
        """The members that the leader of each generation received."""
        self.offered: dict[int, list[dict[str, Any]]] = {}
        """The states that leaders sent, by generation."""
        self.said: dict[str, list[tuple[Protocol, ...]]] = {}
        """The protocols of each member's JoinGroup requests since its last response, and of each client without an id."""
        self.holders: dict[str, str] = {}
        """The member of each instance id."""
        self.alive: dict[str, tuple[int, int]] = {}
        """The time and generation of each member's last accepted heartbeat or SyncGroup."""

    def ask(self, request: Any, now: int, newest: int) -> SentRequest:
        """Note a request."""
        if type(request) is JoinGroup:
            client = request.instance_id or request.client_id
            self.said.setdefault(request.member_id or client, []).append(request.protocols)
            if any(one.metadata == UNREADABLE for one in request.protocols):
                self.roster[client] = _make_member(request, request.member_id)
        elif type(request) is SyncGroup and request.states:
            self.offered.setdefault(request.generation, []).append(
                {_find_lasting_name(name): state for name, state in request.states}
            )
        elif type(request) is LeaveGroup:
            for one in request.members:
                self.alive.pop(one.member_id, None)
        return SentRequest(request, now, newest, dict(self.holders))

    def note_response(self, sent: SentRequest, response: Any, now: int) -> Iterator[tuple[str, str]]:
        """Note a response; yield each invariant that it breaks with a sentence."""
        request, ok = sent.request, response.error is Error.NONE
        if type(response) is JoinGroupResponse and ok:
            self._note_join(request, response)
        elif type(response) is SyncGroupResponse and ok and request.generation == self.generation:
            self.synced.add(_find_lasting_name(request.member_id))
            self.alive[request.member_id] = sent.at, request.generation
        elif type(response) is LeaveGroupResponse and ok:
            for one in request.members:
                self._forget(one.member_id)
        for invariant in _JUDGING:
            sentence = invariant(self, sent, response, now)
            if sentence is not None:
                yield invariant.__name__.removeprefix("_"), sentence
        if type(response) is HeartbeatResponse:
            if ok:
                self.alive[request.member_id] = sent.at, request.generation
            else:
                self.alive.pop(request.member_id, None)
        if response.error in OUT and getattr(request, "generation", self.generation) == self.generation:
            self._forget(request.member_id)

    def describe_coordinator(self) -> Coordinator:
        """Return the observed coordinator: stable if all members that its leader received have their states."""
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

    def _note_join(self, request: JoinGroup, response: JoinGroupResponse) -> None:
        own, generation = response.member_id, response.generation
        if generation > self.generation:
            self.generation, self.protocol, self.leader = generation, response.protocol, response.leader
            self.roster, self.synced, self.replaced = {}, set(), ()
        if request.instance_id is not None:
            before = self.holders.get(request.instance_id)
            if before not in (None, own) and _find_lasting_name(own) not in self.synced:
                self.replaced = (*self.replaced, before or "")
            self.holders[request.instance_id] = own
        self.told.setdefault(generation, set()).add(_find_lasting_name(own))
        if response.members:
            self.listed[generation] = {_find_lasting_name(one.member_id) for one in response.members}
        if generation < self.generation:
            return
        for one in response.members:
            protocols = (Protocol(response.protocol or "", one.metadata),)
            known = _make_member(request, one.member_id)
            self.roster[_find_lasting_name(one.member_id)] = replace(
                known, instance_id=one.instance_id, protocols=protocols
            )
        self.roster[_find_lasting_name(own)] = _make_member(request, own)


Judging: TypeAlias = Callable[[ObservedGroup, SentRequest, Any, int], str | None]


def _find_lasting_name(name: str) -> str:
    """Return the lasting part of a member's id: the instance id if it is static. Short names of static members begin with i."""
    return name.rpartition("-")[0] if name.startswith("i") else name


def _make_member(request: JoinGroup, member_id: str) -> Member:
    return Member(
        member_id=member_id,
        instance_id=request.instance_id,
        client_id=request.client_id,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        protocols=request.protocols,
    )


def _leader_hears_of_all(known: ObservedGroup, _sent: SentRequest, response: Any, _: int) -> str | None:
    if type(response) is not JoinGroupResponse or response.error is not Error.NONE:
        return None
    generation = response.generation
    missing = known.told[generation] - known.listed.get(generation, known.told[generation])
    if not missing:
        return None
    return f"{response.leader} does not receive {min(missing)}, a member of generation {generation}"


def _known_by_what_it_says(known: ObservedGroup, sent: SentRequest, response: Any, _: int) -> str | None:
    if type(response) is not JoinGroupResponse or response.error is not Error.NONE:
        return None
    wrong = None
    for one in response.members:
        client = one.instance_id or one.member_id.rpartition("-")[0]
        own = [known.said[key] for key in (one.member_id, client) if key in known.said]
        of = own or known.said.values()  # only its own response shows whose id it is
        said = {
            each.metadata
            for joins in of
            for protocols in joins
            for each in protocols
            if each.name == response.protocol
        }
        if one.metadata not in said:
            wrong = f"the leader of generation {response.generation} receives metadata of {one.member_id} with which it did not join"
    mine = known.said.get(sent.request.member_id, [])
    at = next((n for n, one in enumerate(mine) if one is sent.request.protocols), 0)
    del mine[:at]
    return wrong


def _given_as_set(known: ObservedGroup, sent: SentRequest, response: Any, _: int) -> str | None:
    if type(response) is not SyncGroupResponse or response.error is not Error.NONE:
        return None
    request = sent.request
    offered = known.offered.get(request.generation)
    if offered is None:
        return (
            f"{request.member_id} gets a state in generation {request.generation}, whose leader has sent none"
        )
    if any(one.get(_find_lasting_name(request.member_id)) == response.state for one in offered):
        return None
    return f"{request.member_id} gets a state other than the one that its leader sent"


def _fenced_by_generation(_known: ObservedGroup, sent: SentRequest, response: Any, _: int) -> str | None:
    request = sent.request
    if type(request) not in (Heartbeat, SyncGroup) or response.error is not Error.NONE:
        return None
    if request.generation >= sent.newest:
        return None
    of = f"a {type(request).__name__} of generation {request.generation} by {request.member_id}"
    return f"{of} is accepted in {sent.newest}"


def _fenced_by_instance(_known: ObservedGroup, sent: SentRequest, response: Any, _: int) -> str | None:
    request = sent.request
    if type(request) is LeaveGroup or request.instance_id is None or not request.member_id:
        return None
    holder = sent.holders.get(request.instance_id)
    if holder in (None, request.member_id):
        return None
    instance = request.instance_id
    if response.error is Error.UNKNOWN_MEMBER_ID:
        return f"{request.member_id} gets UNKNOWN_MEMBER_ID, while {holder} has its instance id {instance}"
    if response.error is Error.NONE:
        return f"a {type(request).__name__} of {request.member_id} is accepted, while {holder} has its instance id {instance}"
    return None


def _dropped_for_a_cause(known: ObservedGroup, sent: SentRequest, response: Any, now: int) -> str | None:
    """Return a sentence if a removed member was not silent: a heartbeat was accepted less than a session ago."""
    request = sent.request
    if response.error is not Error.UNKNOWN_MEMBER_ID or type(request) is LeaveGroup:
        return None
    member = next((one for one in known.roster.values() if one.member_id == request.member_id), None)
    if member is None or request.member_id not in known.alive:
        return None
    at, generation = known.alive[request.member_id]
    silent = now - at
    bound = min(member.session_timeout_ms, member.rebalance_timeout_ms)
    settled = generation == known.generation and _find_lasting_name(request.member_id) in known.synced
    if not settled or silent >= bound:
        return None
    return f"{request.member_id} is removed {silent} ms after its last accepted request; its session is {member.session_timeout_ms} ms"


_JUDGING: tuple[Judging, ...] = (
    _leader_hears_of_all,
    _known_by_what_it_says,
    _given_as_set,
    _fenced_by_generation,
    _fenced_by_instance,
    _dropped_for_a_cause,
)


GRACE_MS = 1_000
"""The time for which requests for a partition may arrive after the client has lost it."""


def claims_what_it_was_given(member: Any, claimed: Iterable[Any]) -> str | None:
    """A cooperative member joins only with partitions that it owns; it loses them with its place in the group (KIP-429)."""
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
    """A client fetches only from partitions that it owns, or has lost less than a second ago."""
    foreign = [str(item) for item in read]
    if not foreign:
        return None
    return f"{member.member_id or 'member 0'} reads {', '.join(foreign[:3])}, which it does not own"


def says_what_can_be_read(member: Any, why: str) -> str | None:
    """A client sends readable bytes: requests, its subscription, and the assignments that it sends as a leader."""
    return f"{member.member_id or 'member 0'} sends unreadable bytes: {why}"


def goes_on(slot: int, how: str) -> str | None:
    """A client does not end by itself."""
    return f"member {slot}: {how}"


OF_CLIENTS: dict[str, Callable[..., str | None]] = {
    "claims_what_it_was_given": claims_what_it_was_given,
    "keeps_what_it_may": keeps_what_it_may,
    "reads_what_it_owns": reads_what_it_owns,
    "says_what_can_be_read": says_what_can_be_read,
    "goes_on": goes_on,
}
"""The invariants that only clients have."""
CLIENT_INVARIANTS = (
    *OF_CLIENTS,
    "no_double_client_assignment",
    "revoked_before_given",
    "commits_from_owners",
    "eventually_converges",
    "legal_target_assignment",
    "bounded_rounds",
    "owned_in_time",
    "stays_stable",
)
"""The invariants that are checked at a client."""
