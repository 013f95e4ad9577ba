"""What `kassay compare` shows of many groups: how often each target is worse than it could be, all of the same groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.comparison.dominance import Spread
from kassay.comparison.headline import target_labels
from kassay.comparison.measured import Measured, comparable, distances
from kassay.family import Family
from kassay.output import Block
from kassay.sentences import listed
from kassay.shape import TextTable

MOST = 3
"""So many numbers stand in a row; all levels are in JSON."""


def blocks(
    rows: Sequence[Sequence[Measured]],
    of: Family,
    records: Sequence[Mapping[str, Any]],
    *,
    seed: int | None,
    spread: Mapping[str, Spread],
) -> Iterator[Block]:
    """Show the answer, a row for each target, those that are seldom worse first, and what was left out."""
    right = comparable(rows)
    kept = [row for row in right if all(one.gaps for one in row)] or right
    names = [one.target for one in rows[0]]
    labels = target_labels(names)
    wrong = [sum(not row[n].legal for row in rows) for n in range(len(names))]
    levels = _levels(kept)
    far = distances(kept, levels, of) if kept else []
    best = {
        n: sum(bool(row[n].gaps) and not any(gap.over > 0 for gap in row[n].gaps) for row in kept)
        for n in range(len(names))
    }
    graded = any(one.gaps for row in kept for one in row)
    yield Block(says=_says(labels, names, best, len(kept), len(rows), wrong, graded), records=records)
    columns = ["", f"wrong or none,\nof {len(rows):,}", *(of.level(level).heading for level in levels)]
    order = sorted(range(len(names)), key=lambda n: (-best[n], wrong[n], n))
    made = []
    for n in order:
        cells = [labels[names[n]], f"{wrong[n]:,}"]
        for level in levels:
            one = far[n][level]
            cells.append(f"{one.above:,}" if one.compared else "-")
        made.append(cells)
    yield Block(prose=True, grid=TextTable(columns, made))
    told: dict[str, list[str]] = {}
    for n in order:
        told.setdefault(spread[names[n]].says(of.level(spread[names[n]].level)) if spread else "", []).append(
            labels[names[n]]
        )
    notes = [f"{listed(of_these)}: {sentence}" for sentence, of_these in told.items() if sentence]
    yield Block(prose=True, text="\n".join([*notes, *_notes(rows, kept, of, levels, seed)]))


def _levels(kept: Sequence[Sequence[Measured]]) -> list[str]:
    """Return the levels that have a column: those that tell answers apart first, then in the family's order."""
    found = list(dict.fromkeys(gap.level for row in kept for one in row for gap in one.gaps))
    worse = {
        level: any(gap.over > 0 for row in kept for one in row for gap in one.gaps if gap.level == level)
        for level in found
    }
    chosen = sorted(found, key=lambda level: (not worse[level], found.index(level)))[:MOST]
    return [level for level in found if level in chosen]


def _says(
    labels: Mapping[str, str],
    names: Sequence[str],
    best: Mapping[int, int],
    kept: int,
    groups: int,
    wrong: Sequence[int],
    graded: bool,
) -> str:
    if not kept:
        return f"Nothing can be compared: on none of {groups:,} groups do all give a right answer."
    if not graded:
        return f"No optimum is known for these {kept:,} groups: the sums are in --json."
    most = max(best.values())
    leading = [labels[names[n]] for n in best if best[n] == most]
    often = f"on {most:,} of {kept:,} groups"
    if len(leading) == len(names):
        who = labels[names[0]] if len(names) == 1 else "All are equally often as good as can be"
        said = f"{who} is as good as can be {often}" if len(names) == 1 else f"{who}: {often}"
    else:
        said = (
            f"{listed(leading)} {'is' if len(leading) == 1 else 'are'} most often as good as can be: {often}"
        )
    failing = [labels[name] for name, number in zip(names, wrong, strict=True) if number]
    if failing:
        most_wrong = f"{max(wrong):,} of {groups:,}"
        up_to = "up to " if len(failing) > 1 else ""
        said += f"; {listed(failing)} {'gives' if len(failing) == 1 else 'give'} no right answer to {up_to}{most_wrong}"
    return f"{said}."


def _notes(
    rows: Sequence[Sequence[Measured]],
    kept: Sequence[Sequence[Measured]],
    of: Family,
    levels: Sequence[str],
    seed: int | None,
) -> Iterator[str]:
    """Say what the numbers are of, what no number was said of, and where all of them are."""
    right = len(comparable(rows))
    left, waits = len(rows) - right, right - len(kept)
    out = [f", to which all give a right answer; the other {left:,} are left out"] if left else []
    out += (
        [
            f"; of {waits:,} more an answer asks for another rebalance, and is not compared with the best possible"
        ]
        if waits
        else []
    )
    yield f"The other numbers are of {len(kept):,} groups{''.join(out)}."
    every = of.oracles.levels if of.oracles else ()
    if not _reads(levels, of) and _reads(every, of):
        yield "No answer reads more across racks than it has to."
    slow = max((one.rebalances for row in kept for one in row), default=1)
    if slow > 1:
        yield f"Answers count when the group has come to rest, here after {slow} rebalances at most."
    if seed is not None:
        yield f"Groups are made to find trouble (seed {seed}); they say nothing about how often it happens. Yours: --group FILE"
    yield "Sums of all measures: add --json"


def _reads(levels: Sequence[str], of: Family) -> bool:
    return any(of.level(level).counts == "reading" for level in levels)
