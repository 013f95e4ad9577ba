"""What items pay at least at prices, in Python's whole numbers; a part of the check, which knows no solver."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.roles.certificate import Case, Prices
from kassay.oracles.assignment.roles.problem import BALANCES, RoleProblem


class Seat(NamedTuple):
    """Members that are alike to an item: what a standby pays there, what the active copy pays, their zones, their number."""

    standby: int
    active: int
    zones: tuple[int, ...]
    members: int
    open_: bool = True
    """Whether the active copy may be here."""


class Kind(NamedTuple):
    """What makes members alike to all items that do not name them."""

    kind: int
    zones: tuple[int, ...]
    active: int
    every: int
    caps: tuple[tuple[int, int], ...]
    cases: tuple[int, ...]


class Item(NamedTuple):
    """What makes items alike: columns of the problem, and the cases that they are in."""

    profile: int
    standbys: int
    claim: int
    part: int
    given: int
    cases: tuple[int, ...]


Priced = list[tuple[Case, int]]
"""Cases with what their copies pay."""


def paid(problem: RoleProblem, weight: dict[str, int], prices: Prices, cases: Priced) -> int:
    """Return the sum of what all items pay at least; `weight` is each level's factor."""
    kind_of = _kinds(problem, prices, cases)
    members = Counter(kind_of)
    price = _Tables(
        problem, weight, [case_price for _, case_price in cases], [case.role == "active" for case, _ in cases]
    )
    return sum(
        n * _cheapest(price.seats(item, members, kind_of), item.standbys, weight.get(SPREAD, 0))
        for item, n in _items(problem, cases).items()
    )


def _kinds(problem: RoleProblem, prices: Prices, cases: Priced) -> list[Kind]:
    caps: dict[int, dict[int, int]] = defaultdict(dict)
    for (part, member, *_), price in zip(problem.rows.tolist(), prices.caps, strict=True):
        if price:
            caps[member][part] = price
    inside = [None if case.members is None else set(case.members) for case, _ in cases]
    zones = list(zip(*problem.zones.tolist(), strict=True)) or [()] * problem.members
    return [
        Kind(
            kind, zones[m], prices.active[m], prices.every[m], tuple(sorted(caps[m].items())) if m in caps else (),
            tuple(n for n, members in enumerate(inside) if members is None or m in members),
        )
        for m, kind in enumerate(problem.kind_of.tolist())
    ]  # fmt: skip


def _items(problem: RoleProblem, cases: Priced) -> Counter[Item]:
    inside = [None if case.items is None else set(case.items) for case, _ in cases]
    every = tuple(n for n, items in enumerate(inside) if items is None)
    columns = (problem.profile_of, problem.standbys, problem.claims, problem.classes, problem.given)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    if len(every) == len(cases):
        return Counter({Item._make((*row, every)): n for row, n in Counter(rows).items()})
    return Counter(
        Item._make((*row, tuple(n for n, items in enumerate(inside) if items is None or i in items)))
        for i, row in enumerate(rows)
    )


class _Tables:
    """What copies cost, all levels together, for one leaf."""

    def __init__(
        self, problem: RoleProblem, weight: dict[str, int], case_prices: list[int], actives: list[bool]
    ) -> None:
        self.start, self.holder = problem.claim_start.tolist(), problem.claim_member.tolist()
        self.case_prices, self.actives = case_prices, actives
        levels = [
            (problem.level(name), w) for name, w in weight.items() if w and name not in (*BALANCES, SPREAD)
        ]
        self.active = [(level.active.tolist(), w) for level, w in levels if level.active is not None]
        self.standby = [(level.standby.tolist(), w) for level, w in levels if level.standby is not None]
        self.active_gain = _added((level.active_gain, w) for level, w in levels)
        self.standby_gain = _added((level.standby_gain, w) for level, w in levels)

    def seats(self, item: Item, members: Counter[Kind], kind_of: list[Kind]) -> list[Seat]:
        """Return where an item's copies can be; holders and the member it is given to are seats of their own."""
        entries = range(self.start[item.claim], self.start[item.claim + 1])
        own = dict.fromkeys((self.holder[entry] for entry in entries), (0, 0))
        if item.given >= 0:
            own.setdefault(item.given, (0, 0))
        for entry in entries:
            saved = own[self.holder[entry]]
            own[self.holder[entry]] = (
                saved[0] + self.active_gain.get(entry, 0),
                saved[1] + self.standby_gain.get(entry, 0),
            )
        taken = Counter(kind_of[m] for m in own)
        found = [
            self.seat(item, kind, number - taken[kind], item.given < 0)
            for kind, number in members.items()
            if number > taken[kind]
        ]
        for m, (active, standby) in own.items():
            seat = self.seat(item, kind_of[m], 1, item.given in (-1, m))
            found.append(seat._replace(active=seat.active - active, standby=seat.standby - standby))
        return found

    def seat(self, item: Item, kind: Kind, members: int, open_: bool) -> Seat:
        """Return what an item's copies pay at members of a kind."""
        both = [n for n in item.cases if n in kind.cases]
        every = kind.every + sum(self.case_prices[n] for n in both if not self.actives[n])
        extra = sum(self.case_prices[n] for n in both if self.actives[n])
        extra += sum(price for part, price in kind.caps if part == item.part)
        standby = sum(w * table[item.profile][kind.kind] for table, w in self.standby)
        active = sum(w * table[item.profile][kind.kind] for table, w in self.active)
        return Seat(every + standby, every + kind.active + extra + active, kind.zones, members, open_)


def _added(columns: Iterable[tuple[Ints | None, int]]) -> dict[int, int]:
    total: dict[int, int] = defaultdict(int)
    for column, weight in columns:
        for entry, gain in enumerate([] if column is None else column.tolist()):
            total[entry] += weight * gain
    return total


def _cheapest(seats: list[Seat], standbys: int, same: int) -> int:
    """Return the least that an item's copies pay together; each copy in a zone beyond the first there pays `same` too."""
    seats = sorted(seats)
    cheap = [seat.standby for seat in seats for _ in range(min(seat.members, standbys))][:standbys]
    floor, best = sum(cheap), None
    for place in sorted(range(len(seats)), key=lambda n: seats[n].active):
        seat = seats[place]
        if not seat.open_:
            continue
        if best is not None and seat.active + floor >= best:
            break
        rest = seats.copy()
        rest[place] = seat._replace(members=seat.members - 1)
        here = _rest(rest, 0, standbys, same, (seat.zones,), None if best is None else best - seat.active)
        if here is not None:
            best = seat.active + here
    assert best is not None
    return best


def _rest(
    seats: list[Seat],
    first: int,
    standbys: int,
    same: int,
    zones: tuple[tuple[int, ...], ...],
    below: int | None,
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
        again = (
            sum(
                zone >= 0 and any(zone == other[tag] for other in zones)
                for tag, zone in enumerate(seat.zones)
            )
            if same
            else 0
        )
        cost = seat.standby + same * again
        less = seats.copy()
        less[place] = seat._replace(members=seat.members - 1)
        rest = _rest(
            less, place, standbys - 1, same, (*zones, seat.zones), None if below is None else below - cost
        )
        if rest is not None:
            best = below = cost + rest
    return best
