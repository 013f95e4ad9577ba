"""Rendered runs: a timeline as text or as a sequence diagram, and a summary of a few rows."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from msgspec import Struct

from kassay.families.shape import TextTable
from kassay.output.block import printable
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.schedule import Fault
from kassay.protocol.simulation.world import Step
from kassay.reference.group.member.state import Failed, Lose, Own, Revoke
from kassay.reference.group.messages import (
    Entry,
    Error,
    FindCoordinator,
    FindCoordinatorResponse,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    OffsetCommit,
    OffsetCommitResponse,
    SyncGroup,
    SyncGroupResponse,
    Trace,
)

MOST = 6
"""The most items that are named."""


def _list_items(items: Sequence[Hashable]) -> str:
    if not items:
        return "nothing"
    more = f" and {len(items) - MOST} more" if len(items) > MOST else ""
    return ", ".join(map(str, items[:MOST])) + more


def describe_fault(fault: Fault) -> str:
    """Describe a fault."""
    return FAULTS[fault.kind].words.format(who=fault.who, span=fault.span, much=fault.much)


def describe_timed_fault(fault: Fault) -> str:
    """Describe a fault with its time in seconds."""
    return f"{fault.at / 1000:.3f} s: {describe_fault(fault)}"


# The timeline


ROUTINE = (FindCoordinator, FindCoordinatorResponse, Heartbeat)
"""Messages that are left out if they arrive."""
EFFECTS: Mapping[type, str] = {Own: "begins with", Revoke: "gives up", Lose: "has lost", Failed: "fails:"}
AT_MEMBER = {"gives up": "waits no longer", "starts": "starts", "stops": "is gone"}
AT_BROKER = {"cannot write": "the log refuses its batch", "takes over": "takes over and loads the group"}


def build_timeline(notes: Sequence[tuple[Any, ...]]) -> Trace:
    """Return the entries of the trace that a :class:`~kassay.protocol.simulation.world.World` wrote.

    A message is at the time at which it arrives or is lost, and a response that breaks an invariant at the time at which it is sent.
    """
    return tuple(
        entry for time, what, *about in _move_breaking(notes) for entry in _list_entries(time, what, about)
    )


def _move_breaking(notes: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield the notes; the response of a breach comes before it instead of later, when its member receives it."""
    early = set[tuple[int, int]]()
    for note in notes:
        time, what, *about = note
        step: Step | None = about[2] if what == "breach" else None
        if step is not None and step.response is not None and (step.slot, id(step.response)) not in early:
            early.add((step.slot, id(step.response)))
            yield time, "breaks", step.slot, step.node, step.response
        if what == "hears" and (about[0], id(about[2])) in early:
            early.remove((about[0], id(about[2])))
        else:
            yield note


def _list_entries(time: int, what: str, about: list[Any]) -> Iterator[Entry]:
    """Yield the entry of a note, unless it is routine."""
    if what == "fault":
        yield Entry(time, "", "", describe_fault(about[0]), "fault")
    elif what == "breach":
        yield Entry(time, "", "", f"{about[0]}: {about[1]}", "breach")
    elif what in {"arrives", "hears", "breaks", "loses", "answer lost"}:
        yield from _list_messages(time, what, about)
    elif what in AT_MEMBER or what == "does":
        place = f"member {about[0]}"
        words = AT_MEMBER[what] if what in AT_MEMBER else _describe_effect(about[1], EFFECTS)
        if words:
            yield Entry(time, place, place, words)
    elif what in AT_BROKER or what == "becomes":
        place = _broker(about[0])
        yield Entry(time, place, place, AT_BROKER.get(what) or f"{about[1]}, generation {about[2]}")


def _list_messages(time: int, what: str, about: list[Any]) -> Iterator[Entry]:
    node, slot = about[:2] if what in {"arrives", "answer lost"} else (about[1], about[0])
    member, broker, message = f"member {slot}", _broker(node), about[2]
    if what == "arrives" and not isinstance(message, ROUTINE):
        yield Entry(time, member, broker, _describe_request(message))
    elif what == "hears" and not isinstance(message, ROUTINE) and message != HeartbeatResponse():
        yield Entry(time, broker, member, describe_response(message))
    elif what == "breaks":
        yield Entry(time, broker, member, describe_response(message), "breach")
    elif what == "loses":
        yield Entry(time, member, member, f"{_describe_request(message)} to {broker} is lost")
    elif what == "answer lost":
        yield Entry(time, broker, broker, f"{describe_response(message)} to {member} is lost")


def _describe_effect(effect: Any, words: Mapping[type, str]) -> str:
    """Describe a callback of the application; empty if it is routine."""
    begins = words.get(type(effect))
    if begins is None:
        return ""
    return f"{begins} {effect.error.name if type(effect) is Failed else _list_items(effect.items)}"


def _broker(node: int | None) -> str:
    return "any broker" if node is None else f"broker {node}"


def _describe_request(request: Any) -> str:
    name = type(request).__name__
    match request:
        case JoinGroup():
            who = request.member_id or "a new member"
            return f"{name} of {who}: {', '.join(one.name for one in request.protocols)}"
        case SyncGroup(states=states):
            gives = f", with {len(states)} state{'s' * (len(states) > 1)}" if states else ""
            return f"{name}, generation {request.generation}{gives}"
        case OffsetCommit():
            return f"{name}, generation {request.generation}: {_list_items(request.items)}"
        case LeaveGroup() | FindCoordinator():
            return name
    return f"{name}, generation {request.generation}"


def describe_response(response: Any) -> str:
    """Describe a response: its error, or its content."""
    if response.error is not Error.NONE:
        return f"{response.error.name} ({type(response).__name__.removesuffix('Response')})"
    if isinstance(response, JoinGroupResponse):
        leads = ", leads" if response.leader == response.member_id else ""
        return f"generation {response.generation}, {response.protocol}: is {response.member_id}{leads}"
    if isinstance(response, SyncGroupResponse):
        return "its state"
    return f"{type(response).__name__.removesuffix('Response')} is accepted"


def render_text(trace: Trace) -> str:
    """Return a timeline as text, a line for each entry, times in seconds."""
    lines = []
    for entry in trace:
        time = f"{entry.time_ms / 1000:>8.3f}"
        if not entry.source:
            lines.append(f"{time}  ** {entry.label}")
        elif entry.source == entry.target:
            lines.append(f"{time}  {entry.source} {entry.label}")
        else:
            here = f"  {HERE}" * (entry.note == "breach")
            lines.append(f"{time}  {entry.source} -> {entry.target}: {entry.label}{here}")
    return "\n".join(lines)


def find_breach(
    notes: Iterable[tuple[Any, ...]], invariants: Collection[str]
) -> tuple[int, str, Step | None]:
    """Return time, invariant and step of the first violation of these invariants, one of which the run of the trace breaks."""
    return next(
        (note[0], note[2], note[4]) for note in notes if note[1] == "breach" and note[2] in invariants
    )


# The sequence diagram


LEFT, COLUMN, ROW, TOP = 76, 250, 25, 46
INK, SOFT, RULE, PAPER = "#1d2733", "#66717d", "#c9d1d9", "#ffffff"
BANDS = {"fault": ("#7a4f00", "#fff3d6"), "breach": ("#b3261e", "#fdecea")}
"""Ink and band of entries about the whole group."""
FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif\""
WIDE = 6.0
"""Width of a letter, by which long texts are cut."""


def render_diagram(trace: Trace, title: str) -> str:
    """Return the sequence diagram of a trace as SVG."""
    # Members first, then brokers, each by number.
    found = {place for entry in trace for place in (entry.source, entry.target) if place}
    places = sorted(
        found, key=lambda place: (place.split()[0] != "member", place.split()[0], len(place), place)
    )
    width = LEFT + COLUMN * max(1, len(places)) + COLUMN // 3
    height = TOP + ROW * (len(trace) + 1) + 10
    x_of = {place: LEFT + COLUMN // 2 + COLUMN * number for number, place in enumerate(places)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" {FONT} font-size="12">',
        f"<title>{escape(printable(title))}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    tips = {"": INK} | {entry.note: BANDS[entry.note][0] for entry in trace if entry.source and entry.note}
    for note, ink in tips.items():
        parts.append(
            f'<defs><marker id="tip{note}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{ink}"/></marker></defs>'
        )
    for place, x in x_of.items():
        parts.append(f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height - 10}" stroke="{RULE}"/>')
        parts.append(_draw_text(x, TOP - 18, place, INK, "middle", bold=True))
    before = -1
    for number, entry in enumerate(trace):
        y = TOP + ROW * (number + 1)
        if entry.time_ms != before:
            parts.append(_draw_text(LEFT - 16, y, f"{entry.time_ms / 1000:.3f} s", SOFT, "end"))
        before = entry.time_ms
        parts += _draw_entry(entry, y, x_of, width)
    return "\n".join([*parts, "</svg>\n"])


def _draw_entry(entry: Entry, y: int, x_of: dict[str, int], width: int) -> list[str]:
    if not entry.source:
        ink, band = BANDS.get(entry.note, (INK, RULE))
        return [
            f'<rect x="{LEFT}" y="{y - 15}" width="{width - LEFT - 8}" height="20" rx="4" fill="{band}"/>',
            _draw_text(LEFT + 8, y - 1, entry.label, ink, "start", bold=True, room=width - LEFT - 24),
        ]
    start, end = x_of[entry.source], x_of[entry.target]
    if start == end:
        return [
            f'<circle cx="{start}" cy="{y - 4}" r="3.5" fill="{INK}"/>',
            _draw_text(start + 9, y, entry.label, INK, "start", room=COLUMN - 16),
        ]
    away = 4 if end > start else -4
    ink = BANDS[entry.note][0] if entry.note else INK
    return [
        f'<line x1="{start}" y1="{y}" x2="{end - away // 4}" y2="{y}" stroke="{ink}" marker-end="url(#tip{entry.note})"/>',
        _draw_text(
            start + 2 * away,
            y - 4,
            entry.label,
            ink,
            "start" if away > 0 else "end",
            room=abs(end - start) - 16,
        ),
    ]


def _draw_text(
    x: int, y: int, text: str, colour: str, anchor: str, *, bold: bool = False, room: int = 10_000
) -> str:
    weight = ' font-weight="700"' if bold else ""
    most = int(room / (WIDE * 1.1 if bold else WIDE))
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    halo = f' stroke="{PAPER}" stroke-width="3" paint-order="stroke"' if not bold else ""
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}"{weight}{halo}>{escape(printable(shown))}</text>'


# The summary


TOGETHER_MS = 60
"""Events within this time are in one row, if their order stays clear."""
BEFORE, AFTER = 7, 5
"""The rows that are shown of the beginning and of the end of a long summary."""
MOST_COLUMNS = 3
"""All further members share a column."""
HERE = "<- here"
HEARS = {
    Error.NOT_COORDINATOR: "told: not the coordinator any more",
    Error.COORDINATOR_NOT_AVAILABLE: "told: no coordinator now",
    Error.UNKNOWN_MEMBER_ID: "told: unknown here",
    Error.ILLEGAL_GENERATION: "told: another generation counts",
    Error.REBALANCE_IN_PROGRESS: "told: join again",
    Error.FENCED_INSTANCE_ID: "told: another has its instance id",
}
"""The errors of a response that change what a member does."""
ENDS: Mapping[type, str] = {Own: "works on", Revoke: "gives up", Lose: "has lost", Failed: "ends:"}
QUIET = frozenset({Error.MEMBER_ID_REQUIRED, Error.COORDINATOR_LOAD_IN_PROGRESS})


class Cell(Struct, frozen=True):
    """One entry of the summary."""

    time_ms: int
    slot: int | None
    """The member, None for the coordinator."""
    words: str
    alone: bool = False
    """True if no other entry may be in its row, as for faults."""


def build_story(notes: Sequence[tuple[Any, ...]], invariants: Sequence[str], members: int) -> TextTable:
    """Return the summary of a run from the trace of a :class:`~kassay.protocol.simulation.world.World`, up to the first violation of these invariants."""
    rows = _group_rows(list(_list_cells(notes, frozenset(invariants))))
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


def _group_rows(cells: list[Cell]) -> list[tuple[int | None, dict[int | None, str]]]:
    """Group entries into rows: a row has one entry of each member, and no entry after a fault is in a row before it."""
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


def _list_cells(notes: Sequence[tuple[Any, ...]], invariants: frozenset[str]) -> Iterator[Cell]:
    joined: set[Any] = set()
    for time, what, *about in notes:
        if what == "breach":
            if not invariants or about[0] in invariants:
                step: Step | None = about[2]
                if step is not None and step.response is not None:
                    heard = (
                        _describe_heard(joined, step.response) or f"told: {describe_response(step.response)}"
                    )
                    yield Cell(time, step.slot, heard)
                at = None if step is None or step.response is not None else step.slot
                yield Cell(time, at, HERE)
                if invariants:
                    return
        elif what == "fault":
            fault: Fault = about[0]
            fault_told = describe_fault(fault).removeprefix(f"member {fault.who} ")
            slot = fault.who if FAULTS[fault.kind].strikes == "member" else None
            yield Cell(time, slot, f"FAULT: {fault_told}", alone=True)
        elif what == "takes over":
            yield Cell(time, None, f"broker {about[0]}")
        elif what == "cannot write":
            yield Cell(time, None, f"broker {about[0]}: not kept in the log")
        elif words := _describe_member(joined, what, about):
            yield Cell(time, about[0], words)


def _describe_member(joined: set[Any], what: str, about: list[Any]) -> str:
    """Describe the action of a member; empty if it is routine. `joined` has the slots and ids that have joined."""
    if what in {"sends", "loses"}:
        sent = _describe_sent(joined, about[0], about[2])
        return f"{sent} (lost)" if sent and what == "loses" else sent
    if what == "hears":
        return _describe_heard(joined, about[2])
    if what == "does":
        return _describe_effect(about[1], ENDS)
    return "is gone" if what == "stops" else ""


def _describe_sent(joined: set[Any], slot: int, request: Any) -> str:
    if type(request) is JoinGroup:
        if request.member_id:
            return "joins again" if request.member_id in joined else ""
        anew = slot in joined
        joined.add(slot)
        return "joins anew" if anew else "joins"
    if type(request) is OffsetCommit:
        return f"commits {_list_items(request.items)}"
    return "leaves" if type(request) is LeaveGroup else ""


def _describe_heard(joined: set[Any], response: Any) -> str:
    if response.error is not Error.NONE:
        return "" if response.error in QUIET else HEARS.get(response.error, f"told: {response.error.name}")
    if type(response) is JoinGroupResponse:
        joined.add(response.member_id)
        leader = "it leads" if response.leader == response.member_id else f"leader {response.leader}"
        return f"told: generation {response.generation}, {leader}"
    return "told: commit is kept" if type(response) is OffsetCommitResponse else ""
