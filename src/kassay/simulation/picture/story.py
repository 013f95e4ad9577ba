"""A run as a few rows that a person follows: what each member hears and does, and what becomes of the coordinator, up to the breach."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from kassay.reference.group.member.application import Failed, Lose, Own, Revoke
from kassay.reference.group.messages import (
    Error,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    OffsetCommit,
    OffsetCommitResponse,
)
from kassay.shape import TextTable
from kassay.simulation.faults import FAULTS
from kassay.simulation.picture.timeline import fault_words, items_words
from kassay.simulation.schedule import Fault

TOGETHER_MS = 60
"""What members do within so many milliseconds stands in one row, where that leaves no doubt about the order."""
BEFORE, AFTER = 7, 5
"""How many rows of a long story are shown of its beginning and of its end."""
MOST_COLUMNS = 3
"""Members beyond share a column."""
HERE = "<- here"
HEARS = {
    Error.NOT_COORDINATOR: "told: not the coordinator any more",
    Error.COORDINATOR_NOT_AVAILABLE: "told: no coordinator now",
    Error.UNKNOWN_MEMBER_ID: "told: unknown here",
    Error.ILLEGAL_GENERATION: "told: another generation counts",
    Error.REBALANCE_IN_PROGRESS: "told: join again",
    Error.FENCED_INSTANCE_ID: "told: another has its instance id",
}
"""What a member is told by an error, where that is more than a step on its way."""
QUIET = frozenset({Error.MEMBER_ID_REQUIRED, Error.COORDINATOR_LOAD_IN_PROGRESS})


class Cell(Struct, frozen=True):
    """Something in the story: when, at which member (None: the coordinator), and its words."""

    time_ms: int
    slot: int | None
    words: str
    alone: bool = False
    """Whether it stands in a row of its own, as faults do."""


def told(notes: Sequence[tuple[Any, ...]], invariants: Sequence[str], members: int) -> TextTable:
    """Tell a run from what a :class:`~kassay.simulation.world.World` wrote into its trace, up to the first breach of these invariants."""
    rows = _rows(list(_cells(notes, frozenset(invariants))))
    if len(rows) > BEFORE + AFTER + 1:
        between = len(rows) - BEFORE - AFTER
        rows = [*rows[:BEFORE], (None, {None: f"... {between} more rows"}), *rows[-AFTER:]]
    own = members if members <= MOST_COLUMNS else MOST_COLUMNS - 1
    named = [f"member {slot}" for slot in range(own)] + ["other members"] * (members > own)
    table = []
    for time, cells in rows:
        others = [f"{slot}: {words}" for slot, words in cells.items() if slot is not None and slot >= own]
        table.append(
            [
                "" if time is None else f"{time / 1000:g}",
                *(cells.get(slot, "") for slot in range(own)),
                *["; ".join(others)] * (members > own),
                cells.get(None, ""),
            ]
        )
    return TextTable(["seconds", *named, "group coordinator"], table)


def _rows(cells: list[Cell]) -> list[tuple[int | None, dict[int | None, str]]]:
    """Put what happens together into rows: a row has one thing of each, and nothing that comes after a fault stands before it."""
    rows: list[tuple[int | None, dict[int | None, str]]] = []
    began = free = -TOGETHER_MS - 1
    for cell in cells:
        if cell.words == HERE and rows:
            known = rows[-1][1]
            known[cell.slot] = f"{known.get(cell.slot, '')}  {HERE}".strip()
            continue
        if cell.alone or cell.time_ms - began > TOGETHER_MS or free < 0 or cell.slot in rows[-1][1]:
            rows.append((cell.time_ms, {}))
            began = free = cell.time_ms
        rows[-1][1][cell.slot] = cell.words
        if cell.alone:
            free = -1
    return rows


def _cells(notes: Sequence[tuple[Any, ...]], invariants: frozenset[str]) -> Iterator[Cell]:
    joined: set[Any] = set()
    for time, what, *about in notes:
        if what == "breach":
            if not invariants or about[0] in invariants:
                yield Cell(time, None, HERE)
                if invariants:
                    return
        elif what == "fault":
            fault: Fault = about[0]
            words = fault_words(fault)
            slot = fault.who if FAULTS[fault.kind].strikes == "member" else None
            name = f"member {fault.who} "
            yield Cell(time, slot, f"FAULT: {words.removeprefix(name)}", alone=True)
        elif what == "takes over":
            yield Cell(time, None, f"broker {about[0]}")
        elif what == "cannot write":
            yield Cell(time, None, f"broker {about[0]}: not kept in the log")
        elif what in MEMBERS:
            said = MEMBERS[what](joined, *about)
            if said:
                yield Cell(time, about[0], said)


def _sends(joined: set[Any], slot: int, _node: int | None, request: Any) -> str:
    if type(request) is JoinGroup:
        anew = slot in joined
        if not request.member_id and not anew:
            joined.add(slot)
            return "joins"
        if not request.member_id:
            return "joins anew"
        return "joins again" if request.member_id in joined else ""
    if type(request) is OffsetCommit:
        return f"commits {items_words(request.items)}"
    return "leaves" if type(request) is LeaveGroup else ""


def _loses(joined: set[Any], slot: int, node: int | None, request: Any) -> str:
    said = _sends(joined, slot, node, request)
    return f"{said} (lost)" if said else ""


def _hears(joined: set[Any], _slot: int, _node: int | None, response: Any) -> str:
    if response.error is not Error.NONE:
        return "" if response.error in QUIET else HEARS.get(response.error, f"told: {response.error.name}")
    if type(response) is JoinGroupResponse:
        joined.add(response.member_id)
        leader = "it leads" if response.leader == response.member_id else f"leader {response.leader}"
        return f"told: generation {response.generation}, {leader}"
    return "told: commit is kept" if type(response) is OffsetCommitResponse else ""


WORDS = {Own: "works on {}", Revoke: "gives up {}", Lose: "has lost {}"}


def _does(_joined: set[Any], _slot: int, effect: Any) -> str:
    if type(effect) is Failed:
        return f"ends: {effect.error.name}"
    words = WORDS.get(type(effect))
    return words.format(items_words(effect.items)) if words else ""


def _stops(_joined: set[Any], _slot: int) -> str:
    return "is gone"


MEMBERS: dict[str, Callable[..., str]] = {
    "sends": _sends,
    "loses": _loses,
    "hears": _hears,
    "does": _does,
    "stops": _stops,
}
