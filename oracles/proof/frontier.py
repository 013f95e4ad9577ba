"""Frontiers: no assignment is better than a point in one level without being worse in another, and no point is missing.

A proof has weights and prices, which add up to a lower bound of all weighted sums. A supported point has that sum. For any other proved point,
all proofs together leave no room for an assignment that is below it in one level and no worse in the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd, inf
from operator import le, lt
from typing import Any, NamedTuple, Protocol, TypeAlias

from kassay.oracles.proof import applications, groups, partitions, roles, tasks, topic_spread
from kassay.oracles.proof.reading import (
    LARGEST,
    OPEN,
    Json,
    compare,
    format_short,
    prove,
    require,
    require_form,
)
from kassay.oracles.proof.roles import BALANCES

Row: TypeAlias = tuple[int, ...]
Proof: TypeAlias = tuple[Row, int]
"""Weights, and the lower bound of sums by these."""
EVEN, ANY, SQUARES, MOVES = "at the most even loads", "at any loads", "squared-loads", "moves"
POINT = {
    "values": {str: int}, "supported": bool, "proved_by": str, "proof": {None: int}, "assignment": dict, OPEN: None,
}  # fmt: skip
PROOF = {"weights": {str: int}, "least": int, OPEN: None}
STEP = {"moves": int, "least": int, "most": int, OPEN: None}
FRONTIER = {
    "title": str, "levels": [str], "points": [POINT], "proofs": [PROOF], "extreme": bool, "whole": bool, "bought": [STEP], OPEN: None,
}  # fmt: skip


class Ground(Protocol):
    """The group of a frontier of moves and another level."""

    def values(self, assignment: Json, path: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return the value of an assignment, and its loads; raises NotProvedError if it is not legal."""

    def least(self, proof: Json, fixed: dict[str, int], path: str) -> int:
        """Return the lower bound of weighted sums; if loads are `fixed`, at these, after a proof that none are more even."""


class Traded(NamedTuple):
    """The frontiers of a kind of groups: each of the other levels with moves."""

    ground: Callable[[Json, str], Ground]
    others: Sequence[str]


class Partitions:
    """Consumers, or a share group with as many copies as there are members for."""

    def __init__(self, data: Json, other: str, *, shared: bool = False) -> None:
        """Read the group; raises WrongInputError naming the field."""
        self.levels, self.of_topics = (MOVES, other), other == topic_spread.SPREAD
        asked = ",".join((*["shared"] * shared, "balance", *self.levels))
        self.group = groups.read_group(data, groups.read_question(asked))
        self.sets = [sets for part in self.group.parts for sets in part]
        self.part = partitions.count_items(self.group, self.sets)

    def values(self, assignment: Json, path: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return the value of an assignment, and its squared loads."""
        require_form(assignment, partitions.ASSIGNMENT, path)
        held = partitions.read_holders(self.group, assignment, path)
        every = partitions.compute_values(self.group, self.sets, held, path)
        worth = {level: every[level] for level in self.levels}
        worth |= {
            "balance": partitions.compute_imbalance(self.group, held),
            MOVES: worth[MOVES] + self.group.lost,
        }
        if self.of_topics:
            worth[topic_spread.SPREAD] = (
                worth[topic_spread.SPREAD] - topic_spread.sum_even_squares(self.group)
            ) // 2
        loads = {SQUARES: every["balance"]}
        return loads | worth, loads

    def least(self, proof: Json, fixed: dict[str, int], path: str) -> int:
        """Return the lower bound of weighted sums; if loads are fixed, of the levels alone."""
        weights: dict[str, int] = proof["weights"]
        fine = weights.keys() == {SQUARES, *self.levels}
        require(
            fine, f"{path}.weights: has no valid value. Give them for {SQUARES}, {', '.join(self.levels)}"
        )
        require_form(proof.get("prices"), {str: int}, f"{path}.prices")
        _refuse_large([*weights.values(), *proof["prices"].values()], path)
        fine = proof["prices"].keys() == self.group.members.keys()
        prove(fine, f"{path}.prices: are not of the group's members")
        prices = {self.group.members[name]: price for name, price in proof["prices"].items()}
        square = weights[SQUARES]
        twice = 1 + self.of_topics
        if fixed:
            prove(square > 0, f"{path}.weights: say nothing of loads")
            even = {m: (2 * price + twice * square) // (2 * twice * square) for m, price in prices.items()}
            proved = partitions.compute_bound(self.group, self.part, {"balance": 1}, even) == fixed[SQUARES]
            prove(proved, f"{path}.prices: do not prove that no loads are more even")
        unit = {"balance": square, **{level: weights[level] for level in self.levels}}
        if self.of_topics:
            found = self._bound_topics(unit, prices, proof, path)
        else:
            found = partitions.compute_bound(self.group, self.part, unit, prices)
        return found + weights[MOVES] * self.group.lost - square * fixed.get(SQUARES, 0)

    def _bound_topics(self, unit: dict[str, int], prices: dict[int, int], proof: Json, path: str) -> int:
        """Return the lower bound of weighted sums with half of the squares of topics above the least; prices are of twice these sums."""
        stated = proof.get("spread")
        require_form(stated, topic_spread.STATED, f"{path}.spread")
        rows = topic_spread.list_rows(stated)
        require(
            all(len(row) == 1 for row in rows),
            f"{path}.spread: has no valid value. Give one number for each price",
        )
        _refuse_large([number for (number,) in rows], f"{path}.spread")
        packed = {id(row): row[0] for row in rows}
        weight = unit[topic_spread.SPREAD]
        double = {level: each if level == topic_spread.SPREAD else 2 * each for level, each in unit.items()}
        known = topic_spread.read_proof(self.group, double, prices, stated, packed, f"{path}.spread")
        squares = known.least([name for (name,) in self.sets])
        return -(-(squares - weight * topic_spread.sum_even_squares(self.group)) // 2)


class Tasks:
    """An application."""

    def __init__(self, application: Json, other: str) -> None:
        """Read the application; raises WrongInputError naming the field."""
        self.levels = (MOVES, other)
        self.known = applications.read_application(application, self.levels)

    def values(self, assignment: Json, path: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return the value of a placement, and its squared loads by threads, of active tasks and of all copies."""
        require_form(assignment, tasks.ANSWER["assignment"], path)
        held = tasks.read_placement(self.known, assignment, path)
        loads = {level: tasks.compute_value(self.known, level, held) for level in BALANCES}
        shown = {SQUARES: sum(loads.values())}
        shown |= {level: tasks.compute_value(self.known, level, held) for level in self.levels}
        return shown | {level: tasks.measure_imbalance(self.known, level, held) for level in BALANCES}, loads

    def least(self, proof: Json, fixed: dict[str, int], path: str) -> int:
        """Return the lower bound of weighted sums; if loads are fixed, at these, after a proof of each balance."""
        weights = proof["weights"]
        names = (*(BALANCES if fixed else ()), "weighted")
        levels = {*self.levels} if fixed else {SQUARES, *self.levels}
        require(
            weights.keys() == levels,
            f"{path}.weights: has no valid value. Give them for {', '.join(sorted(levels))}",
        )
        _refuse_large(weights.values(), path)
        require_form(proof.get("proofs"), dict.fromkeys(names, dict), f"{path}.proofs")
        some = [(self.known.problem.levels[level], weights[level]) for level in self.levels]
        sums = {**self.known.problem.levels, "weighted": roles.sum_weighted(some, weights.get(SQUARES, 0))}
        known = replace(self.known, problem=replace(self.known.problem, levels=sums))
        worth = [*fixed.values()]
        found: float = 0
        for n, name in enumerate(names):
            where = f"{path}.proofs.{name}"
            read = tasks.read_proof(known, proof["proofs"][name], where)
            found = roles.compute_bound(known.problem, names[: n + 1], worth[:n], read, where)
            prove(found != inf, f"{where}: shows that nothing is possible")
            fine = name == "weighted" or found == fixed[name]
            prove(fine, f"{where}: does not prove that no loads are more even")
        return int(found)


def _refuse_large(numbers: Any, path: str) -> None:
    require(
        all(abs(number) < LARGEST for number in numbers),
        f"{path}: has no valid value. Give numbers of up to 300 digits",
    )


def verify(traded: Traded, group: Json, frontier: Json) -> tuple[bool | None, str]:
    """Return True if certificates prove all of a frontier, None if only some of it, and a sentence.

    Raises NotProvedError if a statement is false, WrongInputError if it is no frontier.
    """
    require_form(frontier, FRONTIER, "")
    even = frontier["title"] == EVEN
    require(even or frontier["title"] == ANY, f"title: has no valid value. Give {EVEN!r} or {ANY!r}")
    before = () if even else (SQUARES,)
    other = frontier["levels"][-1] if frontier["levels"] else ""
    levels = (*before, MOVES, other)
    compared = frontier["levels"] == [*levels] and other in traded.others
    require(
        compared,
        f"levels: has no valid value. Give {', '.join((*before, MOVES))}, and one of {', '.join(traded.others)}",
    )
    ground = traded.ground(group, other)
    rows, loads = _read_rows(ground, frontier, levels, even=even)
    proofs: list[Proof] = []
    for n, proof in enumerate(frontier["proofs"]):
        path = f"proofs[{n}]"
        require(
            min(proof["weights"].values(), default=0) >= 0,
            f"{path}.weights: has no valid value. Give 0 or more",
        )
        _refuse_large([proof["least"]], path)
        least = ground.least(proof, loads, path)
        stated = proof["least"] - sum(w * loads.get(level, 0) for level, w in proof["weights"].items())
        prove(stated <= least, f"{path}.least: is more than prices prove, which is {least}")
        proofs.append((tuple(proof["weights"][level] for level in levels), stated))
    # each proof shows that no loads are more even than the points' loads; without points it shows nothing
    known = bool(rows) and (bool(proofs) or not even)
    points = list(enumerate(frontier["points"]))
    asked = [n + 1 for n, point in points if not _is_proved_by_prices(point, rows, n, proofs, known=known)]
    said = [f"{len(rows) - len(asked)} of {len(rows)} points are proved by prices"]
    if asked:
        said.append(f"two solvers alone say so of point {', '.join(map(str, asked))}, no certificate does")
    if even and not proofs:
        said.append("that no loads are more even has no certificate")
    whole = known and is_complete(rows, len(levels), proofs)
    extreme = whole or (known and len(levels) == 2 and has_all_corners(rows, proofs))
    for name, what, proved in (("extreme", "extreme point", extreme), ("whole", "point", whole)):
        if proved:
            said.append(f"no {what} is missing")
        elif frontier[name]:
            said.append(f"that no {what} is missing has no certificate of its own")
    if not frontier["whole"]:
        said.append("points may be missing, as it says")
    prove(
        frontier["extreme"] or not frontier["whole"], "whole: is true, though extreme points may be missing"
    )
    for n, point in points if whole else ():
        fine = point["supported"] or not is_supported(rows[n], rows)
        prove(fine, f"points[{n}].supported: is false, though it is best for some weights above 0")
    prove(rows or not frontier["extreme"], "extreme: is true without a point, though an assignment exists")
    said += _check_steps(frontier, rows, proofs, known=known, whole=whole)
    return (whole and not asked) or None, f"{frontier['title']}: {'; '.join(said)}"


def _read_rows(
    ground: Ground, frontier: Json, levels: Sequence[str], *, even: bool
) -> tuple[list[Row], dict[str, int]]:
    """Return the values of the points, and the loads of all of them if these are the most even."""
    rows: list[Row] = []
    loads: dict[str, int] = {}
    for n, point in enumerate(frontier["points"]):
        worth, own = ground.values(point["assignment"], f"points[{n}].assignment")
        compare(f"points[{n}].values", point["values"], worth)
        prove(loads in ({}, own), f"points[{n}]: its loads differ from the other points' loads, {loads}")
        loads = own if even else {}
        rows.append(tuple(worth[level] for level in levels))
    prove(rows == sorted({*rows}), "points: do not ascend")
    return rows, loads


def _is_proved_by_prices(point: Json, rows: list[Row], n: int, proofs: list[Proof], *, known: bool) -> bool:
    """Return True if prices prove a point; its loads are right if `known`.

    Raises NotProvedError if the point states a proof and has none, or if it is not on the frontier.
    """
    path, value, number = f"points[{n}]", rows[n], point["proof"]
    better = [m + 1 for m, row in enumerate(rows) if m != n and all(map(le, row, value))]
    prove(not better, f"{path}: is no better anywhere than point {better[:1]}")
    prove(point["supported"] == (number is not None), f"{path}.supported: is not what `proof` says")
    if number is not None:
        prove(0 <= number < len(proofs), f"{path}.proof: there is no proof {format_short(number)}")
        weights, least = proofs[number]
        holds = min(weights) > 0 and sum(map(int.__mul__, weights, value)) == least
        prove(holds, f"{path}.proof: does not show that it is best for weights above 0")
    require(
        point["proved_by"] in ("prices", "two solvers"),
        f"{path}.proved_by: has no valid value. Give prices, or two solvers",
    )
    below = [[each - (k == m) for m, each in enumerate(value)] for k in range(len(value))]
    proved = known and (number is not None or all(is_shut(caps, proofs) for caps in below))
    prove(
        proved or point["proved_by"] != "prices", f"{path}.proved_by: the prices leave room for a better one"
    )
    return proved


def _check_steps(
    frontier: Json, rows: list[Row], proofs: list[Proof], *, known: bool, whole: bool
) -> list[str]:
    """Return a sentence if some of the steps that more moves buy have no certificate; raises NotProvedError if one is false."""
    loose, steps = 0, frontier["bought"]
    fine = not steps or len(frontier["levels"]) == 2
    require(fine, "bought: moves buy one level at the most even loads alone. Leave it empty")
    prove(all(a["moves"] < b["moves"] for a, b in pairwise(steps)), "bought: moves do not ascend")
    ends = [*(after["moves"] - 1 for after in steps[1:]), *(step["moves"] for step in steps[-1:])]
    for n, (step, end) in enumerate(zip(steps, ends, strict=True)):  # each holds up to the next
        most = min((row[1] for row in rows if row[0] <= step["moves"]), default=None)
        prove(most == step["most"], f"bought[{n}].most: the best of the points has {most}")
        best = min(row[1] for row in rows if row[0] <= end)
        prove(step["least"] <= best, f"bought[{n}].least: is more than {best}, which a point has")
        proved = known and is_shut([end, step["least"] - 1], proofs)
        prove(proved or (frontier["whole"] and step["least"] == most), f"bought[{n}].least: is not proved")
        loose += not proved and not whole
    return ["what further moves buy rests on two solvers"] if loose else []


def is_shut(caps: Sequence[float], proofs: list[Proof]) -> bool:
    """Return True if no assignment is within the caps: one is below 0, or one of the proofs leaves no room.

    A cap of inf caps nothing. A proof that weighs no capped level says nothing of the caps.
    """
    for weights, least in proofs:
        weighed = [(w, cap) for w, cap in zip(weights, caps, strict=True) if w]
        if weighed and all(cap < inf for _, cap in weighed) and sum(w * cap for w, cap in weighed) < least:
            return True
    return min(caps) < 0


def is_complete(points: list[Row], levels: int, proofs: list[Proof]) -> bool:
    """Return True if proofs leave no room for another point: all boxes of rows that no point dominates are shut."""
    # a row in a box is less than its corner in every level
    boxes: list[tuple[float, ...]] = [(inf,) * levels]
    for point in points:
        cut = [box for box in boxes if all(map(lt, point, box))]
        boxes = [box for box in boxes if box not in cut]
        fresh = {(*box[:k], point[k], *box[k + 1 :]) for box in cut for k in range(levels)}
        inner = {one for one in fresh for box in [*boxes, *fresh] if one != box and all(map(le, one, box))}
        boxes += sorted(fresh - inner)
    return all(is_shut([each - 1 for each in box], proofs) for box in boxes)


def is_supported(row: Row, rows: list[Row]) -> bool:
    """Return True if some weights above 0 make a row the least of all rows.

    The weights at which no other row is less are a polygon, cut out of all weights by one row after the other. If each weight is above 0 at
    some corner, all are above 0 between the corners.
    """
    corners: list[Row] = [tuple(int(n == level) for n in range(len(row))) for level in range(len(row))]
    for other in rows:
        over = [sum((o - r) * w for o, r, w in zip(other, row, corner, strict=True)) for corner in corners]
        left: list[Row] = []
        for n, corner in enumerate(corners):
            after, here, there = corners[n - 1], over[n], over[n - 1]
            if min(here, there) < 0 < max(here, there):
                cut = [abs(there) * a + abs(here) * b for a, b in zip(corner, after, strict=True)]
                left.append(tuple(each // gcd(*cut) for each in cut))
            left += [corner] * (here >= 0)
        corners = left
    return bool(corners) and all(any(column) for column in zip(*corners, strict=True))


def has_all_corners(points: list[Row], proofs: list[Proof]) -> bool:
    """Return True if no extreme point of two levels is missing: no sum is less by the weights at which two neighbours are equal."""
    corners = [(1, 0), *((a[1] - b[1], b[0] - a[0]) for a, b in pairwise(points)), (0, 1)]
    tight = {
        tuple(w // gcd(*weights) for w in weights)
        for weights, least in proofs
        if any(weights)
        and least == min(sum(w * v for w, v in zip(weights, point, strict=True)) for point in points)
    }
    return all(tuple(w // gcd(*corner) for w in corner) in tight for corner in corners)
