"""A group and an assignment as a grid for the page: members down, partitions across."""

from collections.abc import Sequence
from dataclasses import dataclass

from kassay.model import Assignment, Group
from kassay.reports.shapes.partitions.held import held


@dataclass(frozen=True, slots=True)
class Square:
    """One member and one partition: a class of the style sheet, the sign in the square, and what it says in words."""

    look: str
    sign: str
    says: str


@dataclass(frozen=True, slots=True)
class HeldGrid:
    """The grid: topics with their width, partition numbers, a line for each member, and what is lost or doubled."""

    title: str
    topics: Sequence[tuple[str, int]]
    partitions: Sequence[int]
    rows: Sequence[tuple[str, str, Sequence[Square], int]]
    totals: Sequence[str]


def held_grid(title: str, group: Group, assignment: Assignment) -> HeldGrid:
    """Arrange who owned what and who gets what."""
    frame = held(group, assignment)
    members = list(dict.fromkeys(frame["member"]))
    width = len(frame) // len(members) if members else 0
    records = frame.to_dict("records")
    lines = [records[n * width : (n + 1) * width] for n in range(len(members))]
    topics: list[tuple[str, int]] = []
    for row in lines[0] if lines else []:
        known = topics[-1][1] if topics and topics[-1][0] == row["topic"] else 0
        topics = [*(topics[:-1] if known else topics), (str(row["topic"]), known + 1)]
    rows = [
        (
            member,
            str(line[0]["rack"]) if line else "",
            [
                _square(
                    bool(r["exists"] and r["subscribed"]),
                    bool(r["owned"]),
                    int(r["given"]),
                    bool(r["crossing"]),
                )
                for r in line
            ],
            sum(int(r["given"]) for r in line),
        )
        for member, line in zip(members, lines, strict=True)
    ]
    totals = []
    for column in zip(*lines, strict=True):
        times = sum(int(r["given"]) for r in column)
        wanted = any(r["exists"] and r["subscribed"] for r in column)
        totals.append("lost" if wanted and not times else f"{times}x" if times > 1 else "")
    return HeldGrid(title, topics, [int(r["partition"]) for r in lines[0]] if lines else [], rows, totals)


def _square(legal: bool, owned: bool, given: int, crossing: bool) -> Square:
    if not given:
        if owned:
            return Square("parted" if legal else "parted unread", "", "owned, does not get")
        return Square("" if legal else "unread", "", "" if legal else "does not subscribe")
    far = "R" if crossing else ""
    often = str(given) if given > 1 else ""
    said = ", from another rack" if crossing else ""
    if not legal:
        return Square("wrong", f"x{far}{often}", f"gets, may not{said}")
    if owned:
        return Square("kept", far + often or "=", f"keeps{said}")
    return Square("gained", f"+{far}{often}", f"gets newly{said}")
