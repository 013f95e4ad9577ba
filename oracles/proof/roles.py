"""What prices prove of copies in roles: items with an active copy and standbys, on members with slots and zones.

Every member asks a price for an active copy and one for any copy. Whatever the prices, a placement costs at least what each item pays
where that is cheapest, cost and prices together, and each member's least weighed square of a load less what it is paid. Levels before the
one that is proved are added times a factor of 0 or more, less what they are worth at most; caps and cases have prices too. Two cases leave
nothing out: so many copies of some items on some members at most, or more. See docs/oracles/joint.md.

What an item's copies pay at least together, by looking at where each may be: the cheapest seats, spread over zones where that counts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import NamedTuple, TypeAlias

from kassay.oracles.proof.reading import claim, need

MOST_WAYS = 10**7
"""In so many ways the copies of one item may be spread over zones, that are all looked at."""
MOST_STANDBYS = 200
"""So many standbys of an item may be spread over zones."""


class Seat(NamedTuple):
    """Members that are alike to an item: what a standby pays there, what the active copy pays, their zones and number; whether that may be here."""

    standby: int
    active: int
    zones: tuple[int, ...]
    members: int
    open_: bool = True


def cheapest(seats: Iterable[Seat], standbys: int, same: int) -> int:
    """Return the least that an item's copies pay together; each copy in a zone beyond the first there pays `same` too."""
    ordered = sorted(seats)
    cheap = [seat.standby for seat in ordered for _ in range(min(seat.members, standbys + 1))][: standbys + 1]
    before = [0, *accumulate(min(seat.members, standbys) for seat in ordered)]
    floor, best, ways = sum(cheap[:standbys]), None, [0]
    need(
        not same or standbys <= MOST_STANDBYS,
        f"num.standby.replicas: {standbys} are too many; give {MOST_STANDBYS}",
    )
    for place in sorted(range(len(ordered)), key=lambda n: ordered[n].active):
        seat = ordered[place]
        if not seat.open_:
            continue
        if best is not None and seat.active + floor >= best:
            break
        if same:
            rest = ordered.copy()
            rest[place] = seat._replace(members=seat.members - 1)
            here = _rest(
                rest, 0, standbys, same, (seat.zones,), None if best is None else best - seat.active, ways
            )
        else:  # the cheapest others: without this one, where it is among the cheapest and none is left of its kind
            scarce = before[place] + seat.members <= standbys
            here = floor if not scarce else sum(cheap) - seat.standby if len(cheap) > standbys else None
        if here is not None and (best is None or seat.active + here < best):
            best = seat.active + here
    need(best is not None, "there are not so many members as an item has copies")
    assert best is not None
    return best


def _rest(
    seats: list[Seat],
    first: int,
    standbys: int,
    same: int,
    zones: tuple[tuple[int, ...], ...],
    below: int | None,
    ways: list[int],
) -> int | None:
    """Return the least that so many standbys pay in seats from `first` on, None where it is not below a number."""
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
        need(ways[0] < MOST_WAYS, "question: there are too many kinds of clients to spread over")
        again = sum(
            zone >= 0 and any(zone == other[tag] for other in zones) for tag, zone in enumerate(seat.zones)
        )
        cost = seat.standby + same * again
        less = seats.copy()
        less[place] = seat._replace(members=seat.members - 1)
        left = None if below is None else below - cost
        rest = _rest(less, place, standbys - 1, same, (*zones, seat.zones), left, ways)
        if rest is not None:
            best = below = cost + rest
    return best


BALANCES = ("balance", "total-balance")
SPREAD = "spread"
PARTS = "subtopology-spread"
"""The levels that are no sums of costs: the weighed squares of loads of actives, of all copies, collisions in zones, and squares of parts' actives."""
DEEPEST = 200
"""Cases lie within each other up to so deep."""
Table: TypeAlias = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Costs:
    """A level that is a sum over copies.

    A copy of an item of profile p costs ``active[p][kind]`` or ``standby[p][kind]`` at members of a kind. An item of claim c costs
    ``loss[c]`` once, and as much less as ``gains[c]`` says for an active copy and for a standby at a member; `squares` are what
    the weighed squares of the loads of actives, and of all copies, count besides.
    """

    active: Table | None = None
    standby: Table | None = None
    loss: Sequence[int] = ()
    gains: Sequence[Mapping[int, tuple[int, int]]] = ()
    squares: tuple[int, int] = (0, 0)


def weighted(some: Sequence[tuple[Costs, int]], square: int) -> Costs:
    """Return the sum of levels, each times its weight, as one level; of the squares, both weigh the same."""

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
    """What makes items alike: rows of the tables, how many standbys, whose claim, which part of the caps; given to a member, or -1."""

    profile: int
    standbys: int
    claim: int = 0
    part: int = 0
    given: int = -1


@dataclass(frozen=True, slots=True)
class Roles:
    """Items and members by their numbers, what copies cost, and what is fixed.

    ``weights[m]`` is what the square of a member's load weighs; zones are one a tag, -1 where unknown; `caps` bound the actives of a part
    on a member. `active_loads` and `loads` are what members have where that is fixed.
    """

    kinds: Sequence[int]
    weights: Sequence[int]
    zones: Sequence[tuple[int, ...]]
    items: Sequence[Item]
    levels: Mapping[str, Costs]
    caps: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    active_loads: Sequence[int] | None = None
    loads: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """What bounds a level, times `unit`, or shows that nothing is possible where that is 0; who is not named asks nothing."""

    unit: int
    before: Sequence[int]
    active: Mapping[int, int]
    every: Mapping[int, int]
    caps: Mapping[tuple[int, int], int]
    cases: Sequence[int]


@dataclass(frozen=True, slots=True)
class Split:
    """At most `most` active copies, or copies in every role, of these items are on these members, or more; None is all."""

    items: frozenset[int] | None
    members: frozenset[int] | None
    role: str
    most: int
    fewer: "Proof"
    more: "Proof"


Proof: TypeAlias = Prices | Split
Way: TypeAlias = tuple[tuple[Split, bool], ...]
"""The cases from the root to a leaf, and whether it is on the side of more."""


def least(
    roles: Roles, levels: Sequence[str], worth: Sequence[int], proof: Proof, path: str, way: Way = ()
) -> float:
    """Return what a proof shows that the last level does not go below, those before being `worth` at most; infinite where nothing is possible.

    Raises NotProvedError where the proof does not fit, WrongInputError where it is too deep to look at.
    """
    if isinstance(proof, Split):
        need(len(way) < DEEPEST, f"{path}: has too many cases within each other; give at most {DEEPEST}")
        sides = ((False, "fewer", proof.fewer), (True, "more", proof.more))
        return min(
            least(roles, levels, worth, side, f"{path}.{name}", (*way, (proof, more)))
            for more, name, side in sides
        )
    fits = len(proof.before) == len(worth) and min([proof.unit, *proof.before]) >= 0
    claim(fits, f"{path}: has not one factor of 0 or more for each level before")
    right = len(proof.cases) == len(way) and all(
        price <= 0 if more else price >= 0 for price, (_, more) in zip(proof.cases, way, strict=True)
    )
    claim(
        right,
        f"{path}: cases: give a price for each, of 0 or more on the side of fewer, and 0 or less on that of more",
    )
    total = bound(roles, levels, worth, proof, way)
    if proof.unit:
        return -(-total // proof.unit)
    claim(total > 0, f"{path}: is of the unit 0, and shows nothing")
    return inf


def bound(roles: Roles, levels: Sequence[str], worth: Sequence[int], prices: Prices, way: Way) -> int:
    """Return what the last level, times the unit, is never below in the cases of a leaf."""
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
        loads = [-1] * len(roles.kinds) if fixed is None else fixed
        alike = Counter((asked.get(m, 0), roles.weights[m], loads[m]) for m in range(len(roles.kinds)))
        total += sum(n * _left(square, *each, len(roles.items)) for each, n in alike.items())
    squared = weight.get(PARTS, 0)
    total += sum(
        _place(squared, price, roles.weights[m], *roles.caps[part, m])
        for (part, m), price in prices.caps.items()
    )
    total -= sum(price * (case.most + more) for price, (case, more) in zip(prices.cases, way, strict=True))
    return total + _paid(roles, items, costs, weight.get(SPREAD, 0), prices, way)


def _left(unit: int, price: int, weight: int, load: int, most: int) -> int:
    """Return the least of unit times the weighed square of a load less price times load, for one load, or where it is -1 for 0 to `most`."""
    square = unit * weight
    if load < 0:
        # the copy that makes j of them j + 1 costs 2 j + 1 squares; those that cost no more than the price are taken
        load = min(most, max(0, (price + square) // (2 * square))) if square else most * (price > 0)
    return square * load * load - price * load


def _place(unit: int, price: int, weight: int, low: int, high: int) -> int:
    """Return the least of unit times the weighed square of a number less price times it, from low to high."""
    square = unit * weight
    n = (price + square) // (2 * square) if square else high * (price > 0)
    n = min(max(n, low), high)
    return square * n * n - price * n


class _Kind(NamedTuple):
    """What makes members alike to all items that do not name them."""

    kind: int
    zones: tuple[int, ...]
    active: int
    every: int
    caps: tuple[tuple[int, int], ...]
    cases: tuple[int, ...]


def _paid(
    roles: Roles,
    items: Counter[Item],
    costs: Sequence[tuple[Costs, int]],
    same: int,
    prices: Prices,
    way: Way,
) -> int:
    """Return the sum of what all items pay at least; each copy in a zone beyond the first there pays `same` too."""
    kind_of = _kinds(roles, prices, way)
    members = Counter(kind_of)
    alike = _alike(roles, items, [case.items for case, _ in way])
    only_active = [case.role == "active" for case, _ in way]

    def seat(item: Item, cases: tuple[int, ...], kind: _Kind, number: int, open_: bool) -> Seat:
        both = [n for n in cases if n in kind.cases]
        every = kind.every + sum(prices.cases[n] for n in both if not only_active[n])
        extra = kind.active + sum(prices.cases[n] for n in both if only_active[n])
        extra += sum(price for part, price in kind.caps if part == item.part)
        active = sum(w * of.active[item.profile][kind.kind] for of, w in costs if of.active is not None)
        standby = sum(w * of.standby[item.profile][kind.kind] for of, w in costs if of.standby is not None)
        return Seat(every + standby, every + extra + active, kind.zones, number, open_)

    total = 0
    for (like, cases), count in alike.items():
        item = Item._make(like)  # which may be a plain tuple, as there may be a million
        own: dict[int, tuple[int, int]] = {} if item.given < 0 else {item.given: (0, 0)}
        for of, w in costs:
            for m, (active, standby) in of.gains[item.claim].items() if of.gains else ():
                before = own.get(m, (0, 0))
                own[m] = before[0] + w * active, before[1] + w * standby
        taken = Counter(kind_of[m] for m in own)
        seats = [
            seat(item, cases, kind, number - taken[kind], item.given < 0)
            for kind, number in members.items()
            if number > taken[kind]
        ]
        for m, (active, standby) in own.items():
            here = seat(item, cases, kind_of[m], 1, item.given in (-1, m))
            seats.append(here._replace(active=here.active - active, standby=here.standby - standby))
        total += count * cheapest(seats, item.standbys, same)
    return total


Cases: TypeAlias = tuple[int, ...]
"""The cases that an item is in, by their numbers on the way."""


def _alike(
    roles: Roles, items: Counter[Item], inside: Sequence[frozenset[int] | None]
) -> Mapping[tuple[Item, Cases], int]:
    """Count the items that are alike and in the same cases."""
    if any(some is not None for some in inside):
        return Counter(
            (item, tuple(n for n, some in enumerate(inside) if some is None or i in some))
            for i, item in enumerate(roles.items)
        )
    every = tuple(range(len(inside)))
    return {(item, every): count for item, count in items.items()}


def _kinds(roles: Roles, prices: Prices, way: Way) -> list[_Kind]:
    caps: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (part, m), price in sorted(prices.caps.items()):
        if price:
            caps[m].append((part, price))
    inside = [case.members for case, _ in way]
    return [
        _Kind(
            kind, roles.zones[m], prices.active.get(m, 0), prices.every.get(m, 0), tuple(caps[m]) if m in caps else (),
            tuple(n for n, members in enumerate(inside) if members is None or m in members),
        )
        for m, kind in enumerate(roles.kinds)
    ]  # fmt: skip
