"""What happened in a run, as entries that people read: messages where they arrive or are lost, faults, and what applications are told."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from kassay.reference.group.member.application import Failed, Lose, Own, Revoke
from kassay.reference.group.messages import (
    Error,
    FindCoordinator,
    FindCoordinatorResponse,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    OffsetCommit,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.trace import Entry, Trace
from kassay.simulation.faults import FAULTS
from kassay.simulation.schedule import Fault

MOST = 6


def items_words(items: Sequence[Hashable]) -> str:
    """Name items, but no more than some."""
    if not items:
        return "nothing"
    more = f" and {len(items) - MOST} more" if len(items) > MOST else ""
    return ", ".join(map(str, items[:MOST])) + more


def fault_words(fault: Fault) -> str:
    """Say what a fault is."""
    return FAULTS[fault.kind].words.format(who=fault.who, span=fault.span, much=fault.much)


def fault_line(fault: Fault) -> str:
    """Say what a fault is and when it strikes, in seconds."""
    return f"{fault.at / 1000:.3f} s: {fault_words(fault)}"


ROUTINE = (FindCoordinator, FindCoordinatorResponse, Heartbeat)
"""Messages that are left out where nothing became of them."""


def timeline(notes: Sequence[tuple[Any, ...]]) -> Trace:
    """Make the entries of a run from what a :class:`~kassay.simulation.world.World` wrote into its trace."""
    return tuple(entry for time, what, *about in notes for entry in ENTRIES[what](time, *about))


def _arrives(time: int, node: int | None, slot: int, request: Any) -> Iterator[Entry]:
    if not isinstance(request, ROUTINE):
        yield Entry(time, _member(slot), _broker(node), request_words(request))


def _hears(time: int, slot: int, node: int | None, response: Any) -> Iterator[Entry]:
    routine = isinstance(response, ROUTINE) or response == HeartbeatResponse()
    if not routine:
        yield Entry(time, _broker(node), _member(slot), response_words(response))


def _lost_request(time: int, slot: int, node: int | None, request: Any) -> Iterator[Entry]:
    yield Entry(time, _member(slot), _member(slot), f"{request_words(request)} to {_broker(node)} is lost")


def _lost_response(time: int, node: int | None, slot: int, response: Any) -> Iterator[Entry]:
    yield Entry(time, _broker(node), _broker(node), f"{response_words(response)} to {_member(slot)} is lost")


def _nothing(_time: int, *_about: Any) -> Iterator[Entry]:
    return iter(())


def _does(time: int, slot: int, effect: Any) -> Iterator[Entry]:
    words = EFFECTS.get(type(effect))
    if words is not None:
        yield Entry(time, _member(slot), _member(slot), words(effect))


def _fault(time: int, fault: Fault) -> Iterator[Entry]:
    yield Entry(time, "", "", fault_words(fault), "fault")


def _at_member(words: str) -> Callable[..., Iterator[Entry]]:
    def entries(time: int, slot: int, *_rest: Any) -> Iterator[Entry]:
        yield Entry(time, _member(slot), _member(slot), words)

    return entries


def _becomes(time: int, node: int, state: str, generation: int) -> Iterator[Entry]:
    yield Entry(time, _broker(node), _broker(node), f"{state}, generation {generation}")


def _at_broker(words: str) -> Callable[..., Iterator[Entry]]:
    def entries(time: int, node: int, *_rest: Any) -> Iterator[Entry]:
        yield Entry(time, _broker(node), _broker(node), words)

    return entries


def _breach(time: int, name: str, sentence: str) -> Iterator[Entry]:
    yield Entry(time, "", "", f"{name}: {sentence}", "breach")


ENTRIES: dict[str, Callable[..., Iterator[Entry]]] = {
    "sends": _nothing,
    "arrives": _arrives,
    "loses": _lost_request,
    "answers": _nothing,
    "answer lost": _lost_response,
    "hears": _hears,
    "gives up": _at_member("waits no longer"),
    "does": _does,
    "starts": _at_member("starts"),
    "stops": _at_member("is gone"),
    "writes": _nothing,
    "becomes": _becomes,
    "cannot write": _at_broker("the log refuses its batch"),
    "takes over": _at_broker("takes over and loads the group"),
    "fault": _fault,
    "breach": _breach,
}
EFFECTS: dict[type, Callable[[Any], str]] = {
    Own: lambda effect: f"begins with {items_words(effect.items)}",
    Revoke: lambda effect: f"gives up {items_words(effect.items)}",
    Lose: lambda effect: f"has lost {items_words(effect.items)}",
    Failed: lambda effect: f"fails: {effect.error.name}",
}


def request_words(request: Any) -> str:
    """Say in short what a member asks."""
    name = type(request).__name__
    match request:
        case JoinGroup():
            who = request.member_id or "a new member"
            return f"{name} of {who}: {', '.join(one.name for one in request.protocols)}"
        case SyncGroup():
            gives = (
                f", with {len(request.states)} state{'s' * (len(request.states) > 1)}"
                if request.states
                else ""
            )
            return f"{name}, generation {request.generation}{gives}"
        case OffsetCommit():
            return f"{name}, generation {request.generation}: {items_words(request.items)}"
        case LeaveGroup() | FindCoordinator():
            return name
    return f"{name}, generation {request.generation}"


def response_words(response: Any) -> str:
    """Say in short what a coordinator answers."""
    if response.error is not Error.NONE:
        return f"{response.error.name} ({type(response).__name__.removesuffix('Response')})"
    if isinstance(response, JoinGroupResponse):
        leads = ", leads" if response.leader == response.member_id else ""
        return f"generation {response.generation}, {response.protocol}: is {response.member_id}{leads}"
    if isinstance(response, SyncGroupResponse):
        return "its state"
    return f"{type(response).__name__.removesuffix('Response')} is accepted"


def _member(slot: int) -> str:
    return f"member {slot}"


def _broker(node: int | None) -> str:
    return "any broker" if node is None else f"broker {node}"


def written(trace: Trace) -> str:
    """Write a timeline as text, a line for each entry, times in seconds."""
    lines = []
    for entry in trace:
        time = f"{entry.time_ms / 1000:>8.3f}"
        if not entry.source:
            lines.append(f"{time}  ** {entry.label}")
        elif entry.source == entry.target:
            lines.append(f"{time}  {entry.source} {entry.label}")
        else:
            lines.append(f"{time}  {entry.source} -> {entry.target}: {entry.label}")
    return "\n".join(lines)
