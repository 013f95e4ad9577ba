"""What prices prove of a placement of tasks; a part of verify_tasks_certificate.py, and like that it needs Python alone.

Every client asks a price for an active task and one for any copy. Whatever the prices, a placement costs at least what each task
pays where that is cheapest, cost and prices together, and each client's least weighed square of a load less what it is paid. Levels
before are added times a factor of 0 or more, less what they are worth at most; caps and cases have prices too.

"""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import inf
from typing import Any, TypeAlias

Cut: TypeAlias = tuple[dict[str, Any], bool]
"""A case, and whether it is the side of more."""
BALANCES = {"balance": "active", "total-balance": "every"}
TEXTS, NUMBERS = {None: [str]}, {str: int}
PRICES = {
    "by": str, "unit": int, "before": [int], "active": NUMBERS, "every": NUMBERS, "caps": [(int, str, int)], "cases": [int],
}  # fmt: skip
CASES = {"tasks!": TEXTS, "clients!": TEXTS, "role": str, "most": int, "fewer": dict, "more": dict}
MOST_WAYS = 10**7


def apart(loads: list[tuple[int, int]]) -> int:
    """Return how far apart loads are, tasks and threads of each client: by threads, and 2 at least where a task elsewhere evens two clients."""
    spread = max((-(-n // k) for n, k in loads), default=0) - min((n // k for n, k in loads), default=0)
    last = max((Fraction(2 * n - 1, k) for n, k in loads if n), default=Fraction(0))
    return 2 if spread < 2 and any(last > Fraction(2 * n + 1, k) for n, k in loads) else spread


def collisions(zones: list[tuple[Any, ...]]) -> int:
    """Count the copies of a task beyond the first in each zone of each tag."""
    columns = [[zone for zone in column if zone is not None] for column in zip(*zones, strict=True)]
    return sum(len(column) - len(set(column)) for column in columns)


def bound(known: Any, levels: list[str], worth: list[int], proof: Any, way: list[Cut], path: str) -> float:
    """Return what a proof shows that the last level does not go below; infinite where nothing is possible."""
    by = known.by
    if isinstance(proof, dict) and proof.get("by") == "cases":
        by.need(len(way) < 200, f"{path}: has too many cases within each other; give at most 200")
        by.shaped(proof, CASES, path)
        there = (
            set(proof.get("tasks") or ()) <= known.tasks.keys()
            and set(proof.get("clients") or ()) <= known.clients.keys()
        )
        by.claim(there and proof["role"] in ("active", "every"), f"{path}: names what there is not")
        sides = ((False, "fewer"), (True, "more"))
        return min(
            bound(known, levels, worth, proof[side], [*way, (proof, more)], f"{path}.{side}")
            for more, side in sides
        )
    by.shaped(proof, PRICES, path)
    by.need(proof["by"] == "prices", f"{path}.by: is {proof['by'][:60]!r}; give prices or cases")
    rows = [
        proof["unit"],
        *proof["before"],
        *proof["cases"],
        *proof["active"].values(),
        *proof["every"].values(),
    ]
    by.need(
        all(abs(n) < 10**300 for n in [*rows, *(cap[2] for cap in proof["caps"])]),
        f"{path}: give at most 300 digits",
    )
    unit, before, cases = proof["unit"], proof["before"], proof["cases"]
    fits = len(before) == len(worth) and len(cases) == len(way) and min([unit, *before]) >= 0
    by.claim(
        fits, f"{path}: has not one factor of 0 or more for each level before, and one price for each case"
    )
    signs = all(price <= 0 if more else price >= 0 for price, (_, more) in zip(cases, way, strict=True))
    caps = {(part, name): price for part, name, price in proof["caps"]}
    names = (
        proof["active"].keys() | proof["every"].keys()
    ) <= known.clients.keys() and caps.keys() <= known.caps.keys()
    by.claim(
        signs and names, f"{path}: prices a client or cap that there is not, or a case on its wrong side"
    )
    weight = dict(zip(levels, [*before, unit], strict=True))
    for level, each in known.weights.items():
        weight[level] = weight.get(level, 0) + each * weight.get("weighted", 0)
    total: int = -sum(factor * value for factor, value in zip(before, worth, strict=True))
    for level, role in BALANCES.items():
        for name, client in known.clients.items():
            square = weight.get(level, 0) * (known.whole // client["threads"])
            total += left(square, proof[role].get(name, 0), len(known.tasks))
    total -= sum(price * known.caps[cap][price > 0] for cap, price in caps.items())
    total -= sum(price * (cut["most"] + more) for price, (cut, more) in zip(cases, way, strict=True))
    alike = Counter(
        (known.kind(task), tuple(cut["tasks"] is None or task in cut["tasks"] for cut, _ in way))
        for task in known.tasks
    )
    one = {
        (known.kind(task), tuple(cut["tasks"] is None or task in cut["tasks"] for cut, _ in way)): task
        for task in known.tasks
    }
    for key, number in alike.items():
        total += number * cheapest(known, one[key], weight, proof, caps, way)
    if unit:
        return -(-total // int(unit))
    by.claim(total > 0, f"{path}: is of the unit 0, and shows nothing")
    return inf


def left(square: int, price: int, most: int) -> int:
    """Return the least of square * load * load, less price * load, over the loads 0 to `most`."""
    load = min(max((price + square) // (2 * square), 0), most) if square else most * (price > 0)
    return square * load * load - price * load


def cheapest(
    known: Any,
    task: str,
    weight: dict[str, int],
    proof: Any,
    caps: dict[tuple[int, str], int],
    way: list[Cut],
) -> int:
    """Return what a task pays at least, over all clients for its active copy and its standbys."""
    paid: dict[str, dict[str, int]] = {"active": {}, "standby": {}}
    for role, of in paid.items():
        for name in known.clients:
            of[name] = sum(n * known.cost(level, task, name, role) for level, n in weight.items() if n)
            of[name] += proof["every"].get(name, 0)
            if role == "active":
                of[name] += proof["active"].get(name, 0) + caps.get((known.part(task), name), 0)
            for (cut, _), price in zip(way, proof["cases"], strict=True):
                some = (cut["tasks"] is None or task in cut["tasks"]) and (
                    cut["clients"] is None or name in cut["clients"]
                )
                of[name] += price * (some and (role == "active" or cut["role"] == "every"))
    apart, number = weight.get("spread", 0), known.standbys(task)
    kinds: dict[Any, list[str]] = {}
    for name in sorted(known.clients, key=paid["standby"].__getitem__):
        kinds.setdefault(known.zones[name] if apart else (), []).append(name)
    ways = list(combinations_with_replacement(kinds, number))
    known.by.need(
        len(ways) * len(known.clients) < MOST_WAYS,
        "answer.question: there are too many kinds of clients to spread over",
    )
    least = None
    for active, own in ((name, kind) for kind, names in kinds.items() for name in names):
        for others in ways:
            standbys = [
                name
                for kind, many in Counter(others).items()
                for name in [n for n in kinds[kind] if n != active][:many]
            ]
            if len(standbys) == number:
                cost = paid["active"][active] + sum(paid["standby"][name] for name in standbys)
                cost += apart * collisions([own, *others]) if apart and number else 0
                least = cost if least is None else min(least, cost)
    assert least is not None  # there are more clients than standbys
    return least
