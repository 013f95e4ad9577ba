"""The loads of members on group pages: bars of now and after the change, the list of moves, and the small picture in tables."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kassay.comparison.measured import Held, compute_loads, format_load_range, list_roles, name_role
from kassay.families.names import cut, natural_order
from kassay.families.shape import Shape
from kassay.reports.shapes.layout import cut_name

ROWS = 24
"""The number of owners that are shown; if there are more, those with the greatest and the least loads."""
NAME, NAMED, ITEMS, MOVES = 34, 2, 12, 200
"""Letters of a name; old or new owners that a row names; items that a line of moves names; lines of moves."""


@dataclass(frozen=True, slots=True)
class Row:
    """A member: its short and full name, how many partitions stay, leave and arrive, and from or to which members."""

    name: str
    full: str
    stays: int
    leaves: int
    arrives: int
    where: str

    @property
    def now(self) -> int:
        """The load now."""
        return self.stays + self.leaves

    @property
    def then(self) -> int:
        """The load after the change."""
        return self.stays + self.arrives

    @property
    def change(self) -> str:
        """The difference of both loads, with a sign."""
        more = self.then - self.now
        return f"+{more:,}" if more > 0 else f"\N{MINUS SIGN}{-more:,}" if more else "0"


@dataclass(frozen=True, slots=True)
class Bars:
    """The rows of one role: its title, the length of the longest bar, the even share, and which members are left out."""

    called: str
    rows: Sequence[Row]
    longest: int
    even: int
    says: str
    left_out: str = ""


def short_names(owners: Sequence[str]) -> Mapping[str, str]:
    """Return the names of owners, shortened to their different parts and to the width of a row."""
    short = cut(owners)
    found = {owner: cut_name(name, NAME) for owner, name in short.items()}
    return found if len({*found.values()}) == len(found) else short


def build_bars(shape: Shape, now: Held, then: Held) -> Iterator[Bars]:
    """Yield the bars of each role; if there is no present assignment, all items arrive."""
    owners = list(dict.fromkeys([*then, *now]))
    names = short_names(owners)
    for role in list_roles(now, then):
        rows = sorted(_build_rows(now, then, role, names), key=lambda row: natural_order(row.name))
        after = compute_loads(then, owners, role)
        ordered = sorted(rows, key=lambda row: (-row.now, -row.then)) if len(rows) > ROWS else rows
        shown = [*ordered[: ROWS // 2], *ordered[-ROWS // 2 :]] if len(rows) > ROWS else rows
        middle = ordered[ROWS // 2 : -ROWS // 2] if len(rows) > ROWS else []
        left = (
            f"Between them are {len(middle):,} more, with {format_load_range([row.now for row in middle])} now and "
            f"{format_load_range([row.then for row in middle])} after the change."
            if middle
            else ""
        )
        longest = max((row.stays + row.leaves + row.arrives for row in rows), default=0)
        yield Bars(
            name_role(shape, role),
            shown,
            max(longest, 1),
            max(after, default=0),
            f"{'balanced' if max(after, default=0) - min(after, default=0) <= 1 else 'then'}: {format_load_range(after)}",
            left,
        )


def build_weight_bars(unit: str, weights: Mapping[str, int], now: Held, then: Held) -> Bars:
    """Return the bars of the owners' loads by weight; of many owners the heaviest and the lightest."""
    names = short_names(list(dict.fromkeys([*then, *now])))
    found = _build_rows(now, then, "", names, lambda items: sum(map(weights.__getitem__, items)))
    rows = sorted(found, key=lambda row: natural_order(row.name))
    ordered = sorted(rows, key=lambda row: (-row.now, -row.then))
    many = len(rows) > ROWS
    shown = [*ordered[: ROWS // 2], *ordered[-ROWS // 2 :]] if many else rows
    longest, most = (
        max((row.stays + row.leaves + row.arrives for row in rows), default=0),
        max((row.then for row in rows), default=0),
    )
    left = f"Between them are {len(rows) - ROWS:,} more." if many else ""
    return Bars(unit, shown, max(longest, 1), most, f"at most {most:,}", left)


def _build_rows(
    now: Held, then: Held, role: str, names: Mapping[str, str], worth: Callable[[set[str]], int] = len
) -> Iterator[Row]:
    had = {owner: {*now.get(owner, {}).get(role, ())} for owner in names}
    gets = {owner: {*then.get(owner, {}).get(role, ())} for owner in names}
    giver = {item: owner for owner, items in had.items() for item in items}
    taker = {item: owner for owner, items in gets.items() for item in items}
    for owner, name in names.items():
        leaves, arrives = had[owner] - gets[owner], gets[owner] - had[owner]
        to = Counter(names[taker[item]] for item in leaves if item in taker)
        from_ = Counter(names[giver[item]] for item in arrives if item in giver)
        free = Counter(str(item) for item in arrives if item not in giver)  # it has no owner now
        said = [
            f"{word} {_join_few(sorted(whom), NAMED)}"
            for word, whom in (("to", to), ("from", from_), ("gets", free))
            if whom
        ]
        stays = had[owner] & gets[owner]
        yield Row(name, owner, worth(stays), worth(leaves), worth(arrives), "; ".join(said))


def _join_few(names: Sequence[str], most: int) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def list_moves(now: Held, then: Held) -> list[tuple[str, str, str]]:
    """List the moves by giver and taker, at most MOVES pairs; the giver or taker is "" if there is none."""
    names = short_names(list(dict.fromkeys([*then, *now])))
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for role in list_roles(now, then):
        giver = {item: o for o in names for item in now.get(o, {}).get(role, ())}
        for owner in names:
            for item in then.get(owner, {}).get(role, ()):
                if giver.get(item) != owner:
                    found[names[giver[item]] if item in giver else "", names[owner]].append(
                        f"{role} {item}" if role else item
                    )
    listed = [(giver, taker, _join_few(items, ITEMS)) for (giver, taker), items in found.items()]
    more = len(listed) - MOVES
    return listed[:MOVES] + ([("\N{HORIZONTAL ELLIPSIS}", "", f"{more:,} more pairs")] if more > 0 else [])


COLUMNS = 40
"""The number of columns of a small picture; with more owners each column is a mean."""
WIDTH, HEIGHT = 116, 40


def draw_columns(stays: Sequence[int], full: Sequence[int], most: int, limit: int = COLUMNS) -> Markup:
    """Draw a column for each owner, its load relative to `most`: the items that stay, and above them the items that arrive.

    All columns with one look are one path, so that a page with many pictures is small.
    """
    step = -(-len(full) // limit) or 1
    top, pitch = max(most, 1), WIDTH / max(1, -(-len(full) // step))
    wide = max(pitch - 2, pitch * 0.7)
    paths: dict[str, list[str]] = {"kept": [], "new": []}
    for n in range(0, len(full), step):
        many = len(full[n : n + step])
        high, kept = ((HEIGHT - 4) * sum(part[n : n + step]) / many / top for part in (full, stays))
        for look, y, height in (("kept", HEIGHT - kept, kept), ("new", HEIGHT - high, high - kept)):
            if height > 0:
                paths[look].append(f"M{pitch * n / step:.4g} {y:.4g}h{wide:.4g}v{height:.4g}h-{wide:.4g}z")
    drawn = Markup("").join(
        Markup('<path class="{}" d="{}"/>').format(look, "".join(parts))
        for look, parts in paths.items()
        if parts
    )
    return Markup('<svg class="mini" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(
        WIDTH, HEIGHT, drawn
    )
