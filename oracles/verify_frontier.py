"""Check a frontier that `kassay frontier --json` printed, trusting nothing of kassay: this file and those beside it need Python alone.

``python verify_frontier.py GROUP.json FRONTIER.jsonl`` says of each frontier what certificates prove; exit status 0: all that it states,
1: something is not so, 2: wrong input, 3: what is stated holds, but some of it has no certificate, as two solvers found it or points may be missing.

A proof has weights and prices, and no assignment's weighted sum is below what these add up to. A supported point has that sum. Any other point
that prices prove has nothing below it in one level that is no worse in the others, as all proofs together leave no room for it.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from math import gcd, inf
from operator import le, lt
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[int, ...]
Proof: TypeAlias = tuple[Row, int]
"""Weights, and what no sum by these is below."""
EVEN, ANY, SQUARES = "at the most even loads", "at any loads", "squared-loads"
POINT = {"values": {str: int}, "supported": bool, "proved_by": str, "proof!": {None: int}, "assignment": dict}
FRONTIER = {
    "title": str, "levels": [str], "points": [POINT], "proofs": [{"weights": {str: int}, "least": int}],
    "extreme": bool, "whole": bool, "bought": [{"moves": int, "least": int, "most": int}],
}  # fmt: skip


def beside(name: str) -> Any:
    """Load a file that stands beside this one, where Python may not look by itself."""
    if __package__:
        return import_module(f"{__package__}.{name}")
    sys.path.insert(0, str(Path(__file__).parent))
    return import_module(name)


by = beside("verify_certificate")


class Consumers:
    """What frontiers of a consumer group compare, or of a share group with as many copies as there are members for."""

    levels = ("moves", "cross-rack")

    def __init__(self, group: Any) -> None:
        shared = isinstance(group, dict) and group.get("family") == "share"
        self.known = by.Known(group, "shared" if shared else "balance,moves,cross-rack")
        self.items = self.known.items([*self.known.readers])

    def values(self, assignment: Any, path: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return what an assignment is worth, and its loads; raises NotProvedError where it is not legal."""
        by.shaped(assignment, by.ANSWER["assignment"], path)
        squares, moves, far = by.worth(self.known, self.items, by.holders_of(self.known, assignment))
        able = [len(assignment[name]) for name in {name for of in self.known.readers.values() for name in of}]
        spread = max(able, default=0) - min(able, default=0)
        worth = {"balance": spread, SQUARES: squares, "moves": moves + self.known.lost, "cross-rack": far}
        return worth, {SQUARES: squares}

    def least(self, proof: Any, fixed: dict[str, int], path: str) -> int:
        """Return what no assignment's weighted sum is below; where loads are `fixed`, of levels alone, and prove that none are more even."""
        prices = proof.get("prices")
        weights: dict[str, int] = proof["weights"]
        by.need(
            weights.keys() == {SQUARES, *self.levels},
            f"{path}.weights: give them for {SQUARES} and {self.levels}",
        )
        by.shaped(prices, {str: int}, f"{path}.prices")
        by.claim(
            prices.keys() == self.known.members.keys(), f"{path}.prices: are not those of the group's members"
        )
        if fixed:
            unit = weights[SQUARES]
            by.claim(unit > 0, f"{path}.weights: say nothing of loads")
            even = {name: (2 * price + unit) // (2 * unit) for name, price in prices.items()}
            proved = self._bound({SQUARES: 1}, even) == fixed[SQUARES]
            by.claim(proved, f"{path}.prices: do not prove that no loads are more even")
        of_loads = weights[SQUARES] * fixed.get(SQUARES, 0)
        lost: int = weights["moves"] * self.known.lost
        return self._bound(weights, prices) + lost - of_loads

    def _bound(self, weights: dict[str, int], prices: dict[str, int]) -> int:
        known = by.Known.__new__(by.Known)
        known.__dict__.update(self.known.__dict__)
        moved, across = (weights.get(level, 0) for level in self.levels)
        known.row = lambda far, moves: (across * far + moved * moves,)

        def slots(_: Any, price: Row, most: int) -> Row:
            unit = weights[SQUARES]
            load = min(max((price[0] + unit) // (2 * unit), 0), most) if unit else most * (price[0] > 0)
            return (unit * load * load - price[0] * load,)

        rows = by.bound(known, self.items, {name: (price,) for name, price in prices.items()}, slots)
        return int(rows[0]) if rows else 0


def verify(group: Any, frontier: Any) -> tuple[bool | None, str]:
    """Return in a sentence what certificates prove of a frontier, and True where that is all, None where it is not.

    Raises NotProvedError where something stated is not so, WrongInputError where it is no frontier.
    """
    by.shaped(frontier, FRONTIER, "frontier")
    streams = isinstance(group, dict) and group.get("family") == "streams"
    ground = beside("verify_tasks_frontier").Applications(group, by, beside) if streams else Consumers(group)
    even = frontier["title"] == EVEN
    levels = ground.levels if even else (SQUARES, *ground.levels)
    by.need(even or frontier["title"] == ANY, f"frontier.title: give {EVEN!r} or {ANY!r}")
    by.need(frontier["levels"] == [*levels], f"frontier.levels: give {[*levels]}")
    rows: list[Row] = []
    loads: dict[str, int] = {}  # of all points, where they are the most even
    for n, point in enumerate(frontier["points"]):
        worth, own = ground.values(point["assignment"], f"frontier.points[{n}].assignment")
        by.claim(point["values"] == worth, f"frontier.points[{n}].values: are not {worth}")
        by.claim(loads in ({}, own), f"frontier.points[{n}]: its loads are not those of the others, {loads}")
        loads = own if even else {}
        rows.append(tuple(worth[level] for level in levels))
    by.claim(rows == sorted(set(rows)), "frontier.points: do not ascend")
    proofs: list[Proof] = []
    for n, proof in enumerate(frontier["proofs"]):
        path = f"frontier.proofs[{n}]"
        by.need(min(proof["weights"].values(), default=0) >= 0, f"{path}.weights: give 0 or more")
        least = ground.least(proof, loads, path)
        stated = proof["least"] - sum(w * loads.get(level, 0) for level, w in proof["weights"].items())
        by.claim(stated <= least, f"{path}.least: is more than prices prove, which is {least}")
        proofs.append((tuple(proof["weights"][level] for level in levels), stated))
    asked = [n + 1 for n, point in enumerate(frontier["points"]) if not _by_prices(point, rows, n, proofs)]
    said = [f"{len(rows) - len(asked)} of {len(rows)} points are proved by prices"]
    if asked:
        said.append(f"two solvers alone say so of point {', '.join(map(str, asked))}, no certificate does")
    whole = complete(rows, len(levels), proofs)
    extreme = whole or (len(levels) == 2 and bool(rows) and cornered(rows, proofs))
    for name, what, proved in (("extreme", "extreme point", extreme), ("whole", "point", whole)):
        if proved:
            said.append(f"no {what} is missing")
        elif frontier[name]:
            said.append(f"that no {what} is missing has no certificate of its own")
    if not frontier["whole"]:
        said.append("points may be missing, as it says")
    by.claim(
        frontier["extreme"] or not frontier["whole"],
        "frontier.whole: is true, though extreme points may be missing",
    )
    said += _bought(frontier, rows, proofs, whole)
    return (whole and not asked) or None, f"{frontier['title']}: {'; '.join(said)}"


def _by_prices(point: Any, rows: list[Row], n: int, proofs: list[Proof]) -> bool:
    """Return whether prices prove a point; raises NotProvedError where it states that and they do not, or it is none."""
    path, value, number = f"frontier.points[{n}]", rows[n], point["proof"]
    better = [m + 1 for m, row in enumerate(rows) if m != n and all(map(le, row, value))]
    by.claim(not better, f"{path}: is no better anywhere than point {better[:1]}")
    by.claim(point["supported"] == (number is not None), f"{path}.supported: is not what `proof` says")
    if number is not None:
        by.claim(0 <= number < len(proofs), f"{path}.proof: there is no proof {number}")
        weights, least = proofs[number]
        holds = min(weights) > 0 and sum(map(int.__mul__, weights, value)) == least
        by.claim(holds, f"{path}.proof: does not show that it is best for weights above 0")
    by.need(point["proved_by"] in ("prices", "two solvers"), f"{path}.proved_by: give prices, or two solvers")
    below = [[each - (k == m) for m, each in enumerate(value)] for k in range(len(value))]
    proved = number is not None or all(shut(caps, proofs) for caps in below)
    by.claim(
        proved or point["proved_by"] != "prices", f"{path}.proved_by: the prices leave room for a better one"
    )
    return proved


def _bought(frontier: Any, rows: list[Row], proofs: list[Proof], whole: bool) -> list[str]:
    """Say what of the steps that more moves buy has no certificate; raises NotProvedError where one is not so."""
    loose, steps = 0, frontier["bought"]
    ends = [*(after["moves"] - 1 for after in steps[1:]), *(step["moves"] for step in steps[-1:])]
    for n, (step, end) in enumerate(zip(steps, ends, strict=True)):  # each holds up to the next
        most = min((row[1] for row in rows if row[0] <= step["moves"]), default=None)
        by.claim(most == step["most"], f"frontier.bought[{n}].most: the best of the points has {most}")
        proved = shut([end, step["least"] - 1], proofs)
        certain = proved or (frontier["whole"] and step["least"] == most)
        by.claim(certain, f"frontier.bought[{n}].least: is not proved")
        loose += not proved and not whole
    return ["what further moves buy rests on two solvers"] if loose else []


def shut(caps: Sequence[float], proofs: list[Proof]) -> bool:
    """Return whether no assignment is at most the caps, as all levels are 0 or more and one of the proofs leaves no room; inf caps nothing."""
    for weights, least in proofs:
        weighed = [(w, cap) for w, cap in zip(weights, caps, strict=True) if w]
        if all(cap < inf for _, cap in weighed) and sum(w * cap for w, cap in weighed) < least:
            return True
    return min(caps) < 0


def complete(points: list[Row], levels: int, proofs: list[Proof]) -> bool:
    """Return whether proofs leave no room for another point: what no point is as good as lies in boxes, and all of them are shut."""
    boxes: list[tuple[float, ...]] = [
        (inf,) * levels
    ]  # what is in one is less than its corner in every level
    for point in points:
        cut = [box for box in boxes if all(map(lt, point, box))]
        boxes = [box for box in boxes if box not in cut]
        fresh = {(*box[:k], point[k], *box[k + 1 :]) for box in cut for k in range(levels)}
        inner = {one for one in fresh for box in [*boxes, *fresh] if one != box and all(map(le, one, box))}
        boxes += sorted(fresh - inner)
    return all(shut([each - 1 for each in box], proofs) for box in boxes)


def cornered(points: list[Row], proofs: list[Proof]) -> bool:
    """Return whether proofs show that no extreme point of two levels is missing: no sum is less where two neighbours are equally good."""
    corners = [
        (1, 0),
        *((a[1] - b[1], b[0] - a[0]) for a, b in pairwise(points)),
        (0, 1),
    ]
    least = {
        tuple(w // gcd(*weights) for w in weights): (weights, of) for weights, of in proofs if any(weights)
    }
    for corner in corners:
        weights, of = least.get(tuple(w // gcd(*corner) for w in corner), ((0, 0), 1))
        if of != min(sum(w * v for w, v in zip(weights, point, strict=True)) for point in points):
            return False
    return True


def frontiers(path: str) -> list[Any]:
    """Read the frontiers of a file, which has a JSON value on each line."""
    try:
        lines = Path(path).read_bytes().decode("utf-8-sig").split("\n")
        values = [by.decoded(line) for line in lines if line.strip()]
    except (OSError, ValueError, RecursionError) as wrong:
        raise by.WrongInputError(f"{path}: cannot be read as lines of JSON: {wrong}") from None
    found = [each for each in values if isinstance(each, dict) and each.get("record") == "frontier"]
    by.need(found, f"{path}: has no frontier; give what `kassay frontier --json` printed")
    return found


def main(arguments: list[str]) -> int:
    """Print what is proved of each frontier of a file; return the exit status."""
    status, said = 0, []
    try:
        by.need(len(arguments) == 2, "give two files: GROUP.json FRONTIER.jsonl")
        group = by.read(arguments[0])
        for each in frontiers(arguments[1]):
            proved, sentence = verify(group, each)
            status = status if proved else 3
            said.append(sentence)
    except by.NotProvedError as wrong:
        status, said = 1, [f"NOT proved: {wrong}"]
    except by.WrongInputError as wrong:
        status, said = 2, [f"wrong input: {wrong}"]
    for line in said:
        print(line[:1000].encode("unicode_escape").decode(), file=sys.stderr if status == 2 else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
