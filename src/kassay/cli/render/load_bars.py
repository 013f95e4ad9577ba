"""The loads of one group, as `kassay compare` draws them: for each member a bar of what it keeps, loses and gains."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kassay.comparison.advice import Advice
from kassay.comparison.facts import Facts, label_targets
from kassay.comparison.measured import Held, compute_holdings, compute_loads, list_roles
from kassay.comparison.measured import name_role as items_called
from kassay.families.names import cut, natural_order
from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.output.pretty import LEGEND, ROOM, Bar, bar

ROWS = 16
"""The largest number of members that are drawn; of more, the fullest and the emptiest are shown."""
NAMED = 12
"""The largest number of changes that are named one by one."""
ITEMS = 3
"""The number of things that are named of one member."""


def render_loads(known: Facts, told: Advice) -> Iterator[Block]:
    """Yield what members own now and then: a table of bars for each kind of thing that changes or is uneven."""
    shape = known.family.shape
    if known.now is None and told.shown is None:
        return
    now = compute_holdings(shape, known.now.assignment) if known.now else {}
    then = compute_holdings(shape, told.shown.settled) if told.shown else now
    if not now and not then:
        # A shape whose answers are not by owners shows them itself.
        answers = {label_targets(known)[one.target]: one.settled for one in known.answers if one.legal}
        yield Block(prose=True, grid=shape.show(known.group, answers))
        return
    owners = sorted(dict.fromkeys([*then, *now]), key=natural_order)
    used = [role for role in list_roles(now, then) if _differs(now, then, owners, role)] or list_roles(
        now, then
    )[:1]
    if (
        told.shown is None
        and len(owners) > ROWS
        and not any(_differs(now, then, owners, role) for role in used)
    ):
        return  # all own the same, which the answer says already
    others = [
        (label_targets(known)[one.target], compute_holdings(shape, one.settled))
        for one in known.answers
        if one.legal and (told.shown is None or one.target != told.shown.target)
    ]
    name = label_targets(known)[told.shown.target] if told.shown else ""
    for role in used:
        last = role == used[-1]
        title = items_called(shape, role).capitalize() if len(list_roles(now, then)) > 1 else ""
        yield _draw_role(
            now, then, owners, role, name, title, others, known.labels,
            legend=last and bool(name) and any(now.values()), by_topic=shape.items == "partitions",
        )  # fmt: skip


def _differs(now: Held, then: Held, owners: Sequence[str], role: str) -> bool:
    return any(set(now.get(o, {}).get(role, ())) != set(then.get(o, {}).get(role, ())) for o in owners) or (
        max(compute_loads(then, owners, role)) - min(compute_loads(then, owners, role)) > 1
    )


def _draw_role(
    now: Held,
    then: Held,
    owners: Sequence[str],
    role: str,
    name: str,
    title: str,
    others: Sequence[tuple[str, Held]],
    labels: Mapping[str, str],
    *,
    legend: bool,
    by_topic: bool,
) -> Block:
    holds = any(now.values())
    cut_names = cut([labels.get(owner, owner) for owner in owners])
    short = {owner: cut_names[labels.get(owner, owner)] for owner in owners}
    changes = {owner: _split_items(now, then, owner, role) for owner in owners}
    longest = max((sum(map(len, each)) for each in changes.values()), default=0)
    few = bool(name) and 0 < sum(len(gone) + len(new) for _, gone, new in changes.values()) <= NAMED and holds
    shown = list(owners)
    if len(owners) > ROWS:
        shown = sorted(
            owners, key=lambda each: -len(now.get(each, {}).get(role, ())) if now else -len(changes[each][2])
        )
        shown = [*shown[: ROWS // 2], *shown[-ROWS // 2 + 1 :]]
    rows, wide = [], []
    for owner in shown:
        kept, gone, new = changes[owner]
        before, after = len(kept) + len(gone), len(kept) + len(new)
        cells: list[str] = [f"  {short[owner]}", *([f"{before:,}"] if holds else [])]
        cells.append(bar(len(kept), len(gone), len(new), longest=longest))
        if few:
            change = _name_items(gone, new)
        else:
            change = _count_by_topic(gone, new) if by_topic else _count_changes(gone, new)
        cells += [f"{after:,}", change] if name else []
        rows.append(cells)
        others_cells = []
        for _, of in others:
            kept, gone, new = _split_items(now, of, owner, role)
            others_cells.append(f"{len(kept) + len(new):,} {_count_changes(gone, new) or '.'}")
        wide.append([*cells, *others_cells])
    said = ""
    if len(shown) < len(owners):
        left = [owner for owner in owners if owner not in {*shown}]
        for table in (rows, wide):
            table.insert(ROWS // 2, [f"  ... {len(left):,} more", *[""] * (len(table[0]) - 1)])
        was, will = (
            _describe_range(compute_loads(now, left, role)),
            _describe_range(compute_loads(then, left, role)),
        )
        held_by_them = f"now {was}, then {will}" if holds and name else will if name else was
        said = f"Of {len(now) or len(then):,}, the fullest and the emptiest; the others hold {held_by_them}. All of them: --json"
    whose = f"with {name}" if name else ""
    over_bars = min(longest, ROOM) >= len(whose)
    columns = [
        title,
        *(["now"] if holds else []),
        whose if over_bars else "",
        *(["then", "" if over_bars else whose] if name else []),
    ]
    indent = (
        max(len(title), *(len(row[0]) for row in rows))
        + (3 + max(3, *(len(row[1]) for row in rows)) if holds else 0)
        + 3
    )
    note = Bar(" " * indent + LEGEND) if legend else ""
    wider = [*columns[: 1 + holds], "", "then", name, *(label for label, _ in others)]
    return Block(
        prose=True, grid=TextTable(columns, rows, note), text=said,
        wider=TextTable(wider, wide, note) if name and others and not few else None,
    )  # fmt: skip


def _split_items(now: Held, then: Held, owner: str, role: str) -> tuple[list[str], list[str], list[str]]:
    """Return what an owner keeps, loses and gains."""
    had, has = now.get(owner, {}).get(role, ()), then.get(owner, {}).get(role, ())
    held_now, held_then = {*had}, {*has}
    return (
        [i for i in had if i in held_then],
        [i for i in had if i not in held_then],
        [i for i in has if i not in held_now],
    )


def _count_changes(gone: Sequence[str], new: Sequence[str]) -> str:
    return f"{f'-{len(gone):,}' if gone else ''}{f'+{len(new):,}' if new else ''}"


def _count_by_topic(gone: Sequence[str], new: Sequence[str]) -> str:
    """Return how much is lost and gained by topic: ``-7 orders +2 alerts``."""
    told = []
    for sign, items in (("-", gone), ("+", new)):
        topics = Counter(item.rpartition("-")[0] for item in items)
        if len(topics) > ITEMS:
            told.append(f"{sign}{len(items):,} of {len(topics):,} topics")
        else:
            told += [f"{sign}{number:,} {topic}" for topic, number in sorted(topics.items())]
    return " ".join(told)


def _name_items(gone: Sequence[str], new: Sequence[str]) -> str:
    """Name what is lost and gained, the first few of each."""
    told = []
    for sign, items in (("-", gone), ("+", new)):
        if items:
            more = f" and {len(items) - ITEMS} more" if len(items) > ITEMS else ""
            told.append(f"{sign}{', '.join(items[:ITEMS])}{more}")
    return " ".join(told)


def _describe_range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,} to {most:,}" if least < most else f"{most:,}"
