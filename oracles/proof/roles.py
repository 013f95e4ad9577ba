"""Lower bounds by prices for copies in roles: items with an active copy and standbys, on members with slots and zones.

Every member has a price for an active copy and one for any copy. For any prices, a placement costs at least the total of two sums:

- the costs and prices of each item at its cheapest seats
- the least weighed square of each member's load less its prices

Levels before the one that is proved are added times a factor of 0 or more, less their values. Caps and cases have prices too. The two
cases of a split are exhaustive: at most `most` copies of some items are on some members, or more. See docs/explanation/tasks.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import NamedTuple, TypeAlias

from kassay.oracles.proof.groups import minimize_square
from kassay.oracles.proof.reading import prove, require

MOST_WAYS = 10**7
"""The most ways to spread the copies of one item over zones that are tried."""
MOST_STANDBYS = 200
"""The most standbys of an item that may be spread over zones."""


class Seat(NamedTuple):
    """Members that are alike to an item: the payments of a standby and of the active copy, zones, and number of members.

    `open_` is False if the active copy may not be here.
    """

    standby: int
    active: int
    zones: tuple[int, ...]
    members: int
    open_: bool = True


def find_cheapest(seats: Iterable[Seat], standbys: int, same: int) -> int:
    """Return the least that an item's copies pay together; each further copy in a zone pays `same` in addition."""
    ordered = sorted(seats)
    cheap = [seat.standby for seat in ordered for _ in range(min(seat.members, standbys + 1))][: standbys + 1]
    before = [0, *accumulate(min(seat.members, standbys) for seat in ordered)]
    floor, best, ways = sum(cheap[:standbys]), None, [0]
    fine = not same or standbys <= MOST_STANDBYS
    require(fine, f"num.standby.replicas: {standbys} are too many. Give {MOST_STANDBYS}")
    for place in sorted(range(len(ordered)), key=lambda n: ordered[n].active):
        seat = ordered[place]
        if not seat.open_:
            continue
        if best is not None and seat.active + floor >= best:
            break
        if same:
            rest = ordered.copy()
            rest[place] = seat._replace(members=seat.members - 1)
            here = _place_standbys(
                rest, 0, standbys, same, (seat.zones,), None if best is None else best - seat.active, ways
            )
        else:
            # the cheapest others: without this seat if it is among the cheapest and has no member left
            scarce = before[place] + seat.members <= standbys
            here = floor if not scarce else sum(cheap) - seat.standby if len(cheap) > standbys else None
        if here is not None and (best is None or seat.active + here < best):
            best = seat.active + here
    require(best is not None, "group.members: there are fewer than an item has copies. Give more members")
    assert best is not None
    return best


def _place_standbys(
    seats: list[Seat],
    first: int,
    standbys: int,
    same: int,
    zones: tuple[tuple[int, ...], ...],
    below: int | None,
    ways: list[int],
) -> int | None:
    """Return the least that standbys pay in seats from `first` on, None if it is not less than `below`."""
    if not standbys:
        return 0 if below is None or below > 0 else None
    best = None
    for place in range(first, len(seats)):
        seat = seats[place]
        if below is not None and standbys * seat.standby >= below:
            break  # the seats are in ascending order, and collisions cost 0 or more
        if not seat.members:
            continue
        ways[0] += 1
        require(ways[0] < MOST_WAYS, "question: there are too many kinds of clients. Give fewer tags")
        again = sum(
            zone >= 0 and any(zone == other[tag] for other in zones) for tag, zone in enumerate(seat.zones)
        )
        cost = seat.standby + same * again
        less = seats.copy()
        less[place] = seat._replace(members=seat.members - 1)
        left = None if below is None else below - cost
        rest = _place_standbys(less, place, standbys - 1, same, (*zones, seat.zones), left, ways)
        if rest is not None:
            best = below = cost + rest
    return best


BALANCES = ("balance", "total-balance")
SPREAD = "spread"
PARTS = "subtopology-spread"
"""The levels that are not sums of costs: squared loads, of active and of all copies, collisions in zones, and squares of each part."""
DEEPEST = 200
"""The deepest nesting of cases."""
Table: TypeAlias = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Costs:
    """A level that is a sum over copies.

    A copy of an item of profile p costs ``active[p][kind]`` or ``standby[p][kind]`` at members of a kind. An item of claim c costs
    ``loss[c]`` once, less ``gains[c][member]`` for an active copy and for a standby at a member. `squares` are the factors of the weighed
    squared loads, of active and of all copies.
    """

    active: Table | None = None
    standby: Table | None = None
    loss: Sequence[int] = ()
    gains: Sequence[Mapping[int, tuple[int, int]]] = ()
    squares: tuple[int, int] = (0, 0)


def sum_weighted(some: Sequence[tuple[Costs, int]], square: int) -> Costs:
    """Return the weighted sum of levels as one level; both squares have the weight `square`."""

    def summed(tables: Sequence[tuple[Table, int]]) -> Table | None:
        scaled = ([[weight * each for each in row] for row in table] for table, weight in tables)
        return [[*map(sum, zip(*rows, strict=True))] for rows in zip(*scaled, strict=True)] or None

    losses = [[weight * each for each in of.loss] for of, weight in some if of.loss]
    gains: list[dict[int, tuple[int, int]]] = [{} for _ in max((of.gains for of, _ in some), key=len)]
    for of, weight in some:
        for own, more in zip(gains, of.gains, strict=bool(of.gains)):
            for m, (active, standby) in more.items():
                before = own.get(m, (0, 0))
                own[m] = before[0] + weight * active, before[1] + weight * standby
    return Costs(
        summed([(of.active, weight) for of, weight in some if of.active is not None]),
        summed([(of.standby, weight) for of, weight in some if of.standby is not None]),
        [*map(sum, zip(*losses, strict=True))],
        gains,
        (square, square),
    )


class Item(NamedTuple):
    """An item by numbers: its row in the tables, standbys, claim, part of the caps, and the member that must run it (-1: any)."""

    profile: int
    standbys: int
    claim: int = 0
    part: int = 0
    given: int = -1


@dataclass(frozen=True, slots=True)
class Roles:
    """Items and members by their numbers, the costs of copies, and what is fixed."""

    kinds: Sequence[int]
    weights: Sequence[int]
    """The weight of a member's squared load."""
    zones: Sequence[tuple[int, ...]]
    """Each member's zone by each tag, -1 if it is unknown."""
    items: Sequence[Item]
    levels: Mapping[str, Costs]
    caps: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """Part and member -> the fewest and the most active copies of the part there."""
    active_loads: Sequence[int] | None = None
    loads: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices that bound a level, times `unit`, or show that nothing is possible if that is 0; a missing price is 0."""

    unit: int
    before: Sequence[int]
    active: Mapping[int, int]
    every: Mapping[int, int]
    caps: Mapping[tuple[int, int], int]
    cases: Sequence[int]


@dataclass(frozen=True, slots=True)
class Split:
    """Two cases: at most `most` copies of these items are on these members, or more. None stands for all, `role` for active or every copy."""

    items: frozenset[int] | None
    members: frozenset[int] | None
    role: str
    most: int
    fewer: "Proof"
    more: "Proof"


Proof: TypeAlias = Prices | Split
Way: TypeAlias = tuple[tuple[Split, bool], ...]
"""The cases from the root to a leaf, each with True if the leaf is on the side of more."""


def compute_bound(
    roles: Roles, levels: Sequence[str], worth: Sequence[int], proof: Proof, path: str, way: Way = ()
) -> float:
    """Return the lower bound that a proof shows for the last level if those before are `worth` at most; infinite if nothing is possible.

    Raises NotProvedError if the proof does not fit, WrongInputError if it is too deep.
    """
    if isinstance(proof, Split):
        require(len(way) < DEEPEST, f"{path}: has too many cases within each other. Give at most {DEEPEST}")
        sides = ((False, "fewer", proof.fewer), (True, "more", proof.more))
        return min(
            compute_bound(roles, levels, worth, side, f"{path}.{name}", (*way, (proof, more)))
            for more, name, side in sides
        )
    fits = len(proof.before) == len(worth) and min([proof.unit, *proof.before]) >= 0
    prove(fits, f"{path}: has not one factor of 0 or more for each level before")
    right = len(proof.cases) == len(way) and all(
        price <= 0 if more else price >= 0 for price, (_, more) in zip(proof.cases, way, strict=True)
    )
    prove(
        right,
        f"{path}: cases: has no valid value. Give a price for each: 0 or more in the case of fewer, 0 or less in the case of more",
    )
    total = compute_leaf_bound(roles, levels, worth, proof, way)
    if proof.unit:
        return -(-total // proof.unit)
    prove(total > 0, f"{path}: is of the unit 0, and shows nothing")
    return inf


def compute_leaf_bound(
    roles: Roles, levels: Sequence[str], worth: Sequence[int], prices: Prices, way: Way
) -> int:
    """Return the lower bound of the last level, times the unit, in the cases of a leaf."""
    weight = dict(zip(levels, (*prices.before, prices.unit), strict=True))
    costs = [
        (roles.levels[level], factor) for level, factor in weight.items() if level in roles.levels and factor
    ]
    total = -sum(factor * value for factor, value in zip(prices.before, worth, strict=True))
    items = Counter(roles.items)
    claims = Counter[int]()
    for item, n in items.items():
        claims[item[2]] += n
    total += sum(factor * n * of.loss[c] for of, factor in costs if of.loss for c, n in claims.items())
    for role, (asked, fixed) in enumerate(((prices.active, roles.active_loads), (prices.every, roles.loads))):
        square = weight.get(BALANCES[role], 0) + sum(factor * of.squares[role] for of, factor in costs)
        most = len(roles.items)
        loads = [(0, most)] * len(roles.kinds) if fixed is None else [(load, load) for load in fixed]
        alike = Counter((roles.weights[m], asked.get(m, 0), *loads[m]) for m in range(len(roles.kinds)))
        total += sum(n * minimize_square(square * own, *each) for (own, *each), n in alike.items())
    squared = weight.get(PARTS, 0)
    total += sum(
        minimize_square(squared * roles.weights[m], price, *roles.caps[part, m])
        for (part, m), price in prices.caps.items()
    )
    total -= sum(price * (case.most + more) for price, (case, more) in zip(prices.cases, way, strict=True))
    return total + _sum_payments(roles, items, costs, weight.get(SPREAD, 0), prices, way)


class _Kind(NamedTuple):
    """The features of a member that count for the items of one part, if they have no gains there."""

    kind: int
    zones: tuple[int, ...]
    active: int
    """The price of an active copy with the price of the cap of this part."""
    every: int
    cases: frozenset[int]


def _sum_payments(
    roles: Roles,
    items: Counter[Item],
    costs: Sequence[tuple[Costs, int]],
    same: int,
    prices: Prices,
    way: Way,
) -> int:
    """Return the sum of what all items pay at least; each further copy in a zone pays `same` in addition."""
    caps: dict[int, dict[int, int]] = defaultdict(dict)
    for (part, m), price in prices.caps.items():
        if price:
            caps[part][m] = price
    inside = [case.members for case, _ in way]
    cases_of = [
        frozenset(n for n, some in enumerate(inside) if some is None or m in some)
        for m in range(len(roles.kinds))
    ]
    # Items of parts without prices meet the same members. Of those, items of one profile in the same cases meet the same seats.
    parts: dict[int, dict[tuple[int, tuple[int, ...]], list[tuple[Item, int]]]] = {}
    for (like, cases), count in _count_alike(roles, items, [case.items for case, _ in way]).items():
        item = Item._make(like)  # which may be a plain tuple, as there may be a million
        situations = parts.setdefault(item.part if item.part in caps else -1, {})
        situations.setdefault((item.profile, cases), []).append((item, count))
    only_active = [case.role == "active" for case, _ in way]

    def price_seat(profile: int, cases: tuple[int, ...], kind: _Kind, number: int) -> Seat:
        both = [n for n in cases if n in kind.cases]
        every = kind.every + sum(prices.cases[n] for n in both if not only_active[n])
        extra = kind.active + sum(prices.cases[n] for n in both if only_active[n])
        active = sum(w * of.active[profile][kind.kind] for of, w in costs if of.active is not None)
        standby = sum(w * of.standby[profile][kind.kind] for of, w in costs if of.standby is not None)
        return Seat(every + standby, every + extra + active, kind.zones, number)

    total = 0
    for part, situations in parts.items():
        capped = caps.get(part, {})
        kind_of = [
            _Kind(
                kind, roles.zones[m] if same else (), prices.active.get(m, 0) + capped.get(m, 0), prices.every.get(m, 0), cases_of[m],
            )
            for m, kind in enumerate(roles.kinds)
        ]  # fmt: skip
        members = Counter(kind_of)
        place = {kind: n for n, kind in enumerate(members)}
        place_of = [place[kind] for kind in kind_of]
        for (profile, cases), alike in situations.items():
            seats = [price_seat(profile, cases, kind, number) for kind, number in members.items()]
            orders = _sort_seats(seats)
            for item, count in alike:
                own = _sum_gains(item, costs)
                taken = Counter(place_of[m] for m in own)
                offers = _take_cheapest(seats, orders, item.standbys + 1, taken, item.given < 0)
                for m, (active, standby) in own.items():
                    at = seats[place_of[m]]
                    here = item.given in (-1, m)
                    offers.append(Seat(at.standby - standby, at.active - active, at.zones, 1, here))
                total += count * find_cheapest(offers, item.standbys, same)
    return total


def _sum_gains(item: Item, costs: Sequence[tuple[Costs, int]]) -> dict[int, tuple[int, int]]:
    """Return the members that differ from others of their kind for an item, with what it pays less there in each role."""
    own: dict[int, tuple[int, int]] = {} if item.given < 0 else {item.given: (0, 0)}
    for of, w in costs:
        for m, (active, standby) in of.gains[item.claim].items() if of.gains else ():
            before = own.get(m, (0, 0))
            own[m] = before[0] + w * active, before[1] + w * standby
    return own


def _sort_seats(seats: Sequence[Seat]) -> list[list[int]]:
    """Return the places of seats of equal zones, cheapest first: for each zones an order by standbys, and one by active copies."""
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for n, seat in enumerate(seats):
        alike[seat.zones].append(n)
    return [
        sorted(some, key=key)
        for some in alike.values()
        for key in (lambda n: seats[n].standby, lambda n: seats[n].active)
    ]


def _take_cheapest(
    seats: Sequence[Seat], orders: Sequence[Sequence[int]], copies: int, taken: Mapping[int, int], open_: bool
) -> list[Seat]:
    """Return the seats that can be among an item's cheapest: in each order, the first `copies` members that are not taken.

    Other members cannot lower the least payment. The item's other copies take one less than these members. So a copy elsewhere
    can go to one of these, pays no more there, and is in the same zones.
    """
    found: dict[int, Seat] = {}
    for order in orders:
        missing = copies
        for n in order:
            left = seats[n].members - taken.get(n, 0)
            if left:
                found[n] = seats[n]._replace(members=left, open_=open_)
                missing -= left
                if missing <= 0:
                    break
    return list(found.values())


def _count_alike(
    roles: Roles, items: Counter[Item], inside: Sequence[frozenset[int] | None]
) -> Mapping[tuple[Item, tuple[int, ...]], int]:
    """Count the items that are alike and in the same cases, which are numbered by their places on the way."""
    if any(some is not None for some in inside):
        return Counter(
            (item, tuple(n for n, some in enumerate(inside) if some is None or i in some))
            for i, item in enumerate(roles.items)
        )
    every = tuple(range(len(inside)))
    return {(item, every): count for item, count in items.items()}
