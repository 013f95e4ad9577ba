"""The truth about frontiers: all assignments of a small group, tried one by one.

The points of a frontier are the values that no assignment beats in one level without being worse in another. A frontier that is accepted as
a whole states all of them. If something has no certificate, the sentence of the checker says what is proved nevertheless. Then that must be true.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import lcm
from typing import Any, TypeAlias

from forging.truth import PROVED, convert_tasks, list_members, read_tasks
from second_opinions.every_assignment import yield_choices
from second_opinions.every_placement import placements

from kassay.model import Group
from kassay.model.tasks import Application
from kassay.oracles.partitions.question import measure
from kassay.oracles.partitions.question import parse_question as of_partitions
from kassay.oracles.tasks.levels import LEVELS as OF_TASKS

Json: TypeAlias = Any
Row: TypeAlias = tuple[int, ...]
EVEN, ANY, SQUARES, MOVES = "at the most even loads", "at any loads", "squared-loads", "moves"
SHOWN = ("balance", "total-balance", MOVES, "joint")
"""The levels that a frontier of an application shows in addition to squared loads."""


@dataclass(frozen=True)
class Values:
    """The worth of an assignment by level, and its unevenness."""

    by_level: Mapping[str, int]
    uneven: Row


def find_pareto_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that no other one is nowhere worse than."""
    every = sorted({*rows})
    return [row for row in every if not any(o != row and all(map(int.__le__, o, row)) for o in every)]


def is_supported(row: Row, rows: Sequence[Row]) -> bool:
    """Return True if some weights above 0 make a row the least of all.

    The weights at which no other row is less are a convex set. At each of its corners, as many bounds
    are tight as there are levels but one. If each weight is above 0 at some corner, all are above 0 between the corners.
    """
    bounds = [tuple(map(int.__sub__, other, row)) for other in rows if other != row]
    bounds += [tuple(int(n == m) for m in range(len(row))) for n in range(len(row))]
    found = [compute_orthogonal(tight) for tight in combinations(bounds, len(row) - 1)]
    corners = [
        one
        for corner in found
        for one in (corner, tuple(-each for each in corner))
        if sum(one) > 0 and all(sum(map(int.__mul__, one, bound)) >= 0 for bound in bounds)
    ]
    return bool(corners) and all(any(corner[n] > 0 for corner in corners) for n in range(len(row)))


def compute_orthogonal(tight: Sequence[Row]) -> Row:
    """Return what is orthogonal to one row of two numbers, or to two of three."""
    if len(tight) == 1:
        ((a, b),) = tight
        return b, -a
    (a, b, c), (d, e, f) = tight
    return b * f - c * e, c * d - a * f, a * e - b * d


class _Frontier:
    """All assignments of a group by how they are written, with what they are worth."""

    every: Mapping[Any, Values]

    def read_assignment(self, assignment: Json) -> Any:
        """Return an assignment as one that can be looked up."""
        raise NotImplementedError

    def list_rows(self, levels: Sequence[str], *, even: bool) -> list[Row]:
        """Return what all assignments are worth in some levels, or those that are the most even alone."""
        least = min(each.uneven for each in self.every.values())
        some = (each for each in self.every.values() if not even or each.uneven == least)
        return [tuple(each.by_level[level] for level in levels) for each in some]

    def find_false(self, answer: Json, verdict: str, said: str) -> str:
        """Return the first false statement of a frontier or of the checker's sentence, or an empty string."""
        if answer["title"] not in (EVEN, ANY):
            return f"there is no title {answer['title']}"
        worth = [self.every.get(self.read_assignment(point["assignment"])) for point in answer["points"]]
        if None in worth:
            return f"the assignment of point {worth.index(None) + 1} is not legal"
        levels, even = answer["levels"], answer["title"] == EVEN
        rows = self.list_rows(levels, even=even)
        about = _About(answer, verdict == PROVED, said, find_pareto_rows(rows), [own for own in worth if own])
        if even and "that no loads are more even has no certificate" not in said:
            least = min(each.uneven for each in self.every.values())
            if any(own.uneven != least for own in about.worth):
                return "a point is less even than can be"
        return about.find_false_point() or about.find_false_claim() or self._find_false_step(about, rows)

    def _find_false_step(self, about: "_About", rows: Sequence[Row]) -> str:
        steps = about.answer["bought"]
        if not about.proved and "what further moves buy rests on two solvers" in about.claims:
            return ""
        if steps and len(about.answer["levels"]) != 2:
            return "moves buy two levels"
        for n, step in enumerate(steps):
            end = steps[n + 1]["moves"] - 1 if n + 1 < len(steps) else step["moves"]
            best = [
                min((row[1] for row in rows if row[0] <= moves), default=None)
                for moves in (step["moves"], end)
            ]
            if best[0] is None or not (step["least"] <= best[1] and best[0] <= step["most"]):
                return f"step {n + 1} is {best}"
        return ""


@dataclass(frozen=True)
class _About:
    """A frontier that was accepted, what the checker says of it, the true points, and what the stated points are worth."""

    answer: Json
    proved: bool
    said: str
    true: Sequence[Row]
    worth: Sequence[Values]

    @cached_property
    def shown(self) -> list[Row]:
        """The rows of the stated points."""
        return [tuple(own.by_level[level] for level in self.answer["levels"]) for own in self.worth]

    @cached_property
    def claims(self) -> Sequence[str]:
        """The claims of the checker's sentence."""
        return self.said.split("; ")

    @cached_property
    def open(self) -> set[int]:
        """The points of which the sentence says that no certificate proves them."""
        told = re.findall(r"say so of point ([\d, ]+), no", self.said)
        return {int(number) - 1 for each in told for number in each.split(", ")}

    def find_false_point(self) -> str:
        """Return the first false statement about a single point."""
        for n, (point, own, row) in enumerate(
            zip(self.answer["points"], self.worth, self.shown, strict=True)
        ):
            stated = point["values"]
            if not {*self.answer["levels"]} <= stated.keys() or any(
                stated[name] != own.by_level[name] for name in stated
            ):
                return f"point {n + 1} is worth {own.by_level}"
            if (self.proved or n not in self.open) and row not in self.true:
                return f"point {n + 1} is not on the frontier"
            if point["supported"] != is_supported(row, self.true) and (self.proved or point["supported"]):
                return f"the flag `supported` of point {n + 1} is wrong"
        return ""

    def find_false_claim(self) -> str:
        """Return the first false statement about all points."""
        count = re.search(r"(\d+) of (\d+) points are proved by prices", self.said)
        if count is None or (int(count[1]), int(count[2])) != (
            len(self.shown) - len(self.open),
            len(self.shown),
        ):
            return "the sentence counts other points"
        if (self.proved or "no point is missing" in self.claims) and self.shown != self.true:
            return f"the points are {self.true}, not {self.shown}"
        extreme = {row for row in self.true if is_extreme(row, self.true)}
        if (self.proved or "no extreme point is missing" in self.claims) and not extreme <= {*self.shown}:
            return "an extreme point is missing"
        return ""


def is_extreme(row: Row, rows: Sequence[Row]) -> bool:
    """Return True if some weights above 0 make a row of two levels less than all others."""
    if len(row) > 2:
        return is_supported(row, rows)
    before = [o for o in rows if o[0] < row[0]]
    after = [o for o in rows if o[0] > row[0]]
    return is_supported(row, rows) and not any(
        (a[1] - row[1]) * (b[0] - row[0]) == (row[1] - b[1]) * (row[0] - a[0]) for a in before for b in after
    )


class OfPartitions(_Frontier):
    """Consumer groups, and share groups with as many copies as there are members for."""

    def __init__(self, group: Group, *, shared: bool = False) -> None:
        self.group, self.shared = group, shared

    @cached_property
    def every(self) -> Mapping[Any, Values]:  # type: ignore[override]
        """All assignments."""
        levels = ["balance", MOVES, "cross-rack", *["topic-spread"] * (not self.shared)]
        asked = of_partitions(",".join(["shared"] * self.shared + levels))
        found = {}
        for values, choice in yield_choices(self.group, asked):
            given = {m.id: [p for p, own in choice.items() if m.id in own] for m in self.group.members}
            by_level = dict(zip(levels, values, strict=True))
            squares = by_level["balance"]
            by_level |= {SQUARES: squares, "balance": measure(asked, "balance")(self.group, given)}
            key = frozenset(((p.topic, p.partition), tuple(sorted(own))) for p, own in choice.items() if own)
            found[key] = Values(by_level, (squares,))
        return found

    def read_assignment(self, assignment: Json) -> Any:
        """Return the members of each partition."""
        names = {member.id for member in self.group.members}
        return frozenset(list_members(assignment).items()) if assignment.keys() == names else None


class OfTasks(_Frontier):
    """Applications of Kafka Streams."""

    def __init__(self, application: Application) -> None:
        self.application = application

    @cached_property
    def every(self) -> Mapping[Any, Values]:  # type: ignore[override]
        """All placements."""
        clients = self.application.clients
        whole = lcm(*(client.threads for client in clients))
        found = {}
        for answer in placements(self.application):
            held = [(answer.clients[c.id], whole // c.threads) for c in clients]
            active = sum(weight * len(own.active) ** 2 for own, weight in held)
            every = sum(weight * (len(own.active) + len(own.standby)) ** 2 for own, weight in held)
            by_level = {name: OF_TASKS[name].measure(self.application, answer) for name in SHOWN}
            values = Values(by_level | {SQUARES: active + every}, (active, every))
            found[convert_tasks(answer.clients)] = values
        return found

    def read_assignment(self, assignment: Json) -> Any:
        """Return what each client has, in order."""
        return read_tasks(assignment)
