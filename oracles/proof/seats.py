"""What an item's copies pay at least together, by looking at where each may be: the cheapest seats, spread over zones where that counts."""

from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from kassay.oracles.proof.reading import need

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
