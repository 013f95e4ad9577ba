"""The output of `kassay compare` over many groups: how often each target is above the optimum."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from kassay.comparison.headline import label_targets_uniquely
from kassay.comparison.measured import Measured, select_comparable, sum_distances, sum_measures
from kassay.comparison.ranking import DominatedCount, count_dominated_answers
from kassay.families.family import Family
from kassay.families.shape import TextTable
from kassay.oracles.answers import Dominated
from kassay.output import Block
from kassay.sentences import join_names

MOST = 3
"""The number of levels that have a column; all of them are in JSON."""


def render_sums(
    rows: Sequence[Sequence[Measured]],
    judged: Sequence[Mapping[str, Dominated]],
    of: Family,
    *,
    seed: int | None,
) -> Iterator[Block]:
    """Yield the result, a row for each target with the most often optimal first, and caveats; sums are in JSON.

    `rows` has the answers of all targets for each group, `judged` the better spreads of each group, by target.
    """
    right = select_comparable(rows)
    kept = [row for row in right if all(one.gaps for one in row)] or right
    names = [one.target for one in rows[0]]
    labels = label_targets_uniquely(names)
    wrong = [sum(not row[n].legal for row in rows) for n in range(len(names))]
    levels = _select_levels(kept)
    far = sum_distances(kept, levels, of) if kept else []
    best = [
        sum(bool(row[n].gaps) and not any(gap.over > 0 for gap in row[n].gaps) for row in kept)
        for n in range(len(names))
    ]
    spread = count_dominated_answers(judged, names)
    says = _describe_leaders([labels[name] for name in names], best, kept, len(rows), wrong)
    yield Block(says=says, records=_build_records(rows, of, names, spread))
    columns = ["assignor", f"incorrect,\nof {len(rows):,}", *(of.level(level).heading for level in levels)]
    order = sorted(range(len(names)), key=lambda n: (-best[n], wrong[n], n))
    made = []
    for n in order:
        own = [far[n][level] for level in levels]
        cells = (f"{one.above:,}" if one.compared else "-" for one in own)
        made.append([labels[names[n]], f"{wrong[n]:,}", *cells])
    yield Block(prose=True, grid=TextTable(columns, made))
    alike: dict[str, list[str]] = {}
    for n in order if spread else ():
        own_spread = spread[names[n]]
        alike.setdefault(own_spread.says(of.level(own_spread.level)), []).append(labels[names[n]])
    notes = [f"{join_names(of_these)}: {sentence}" for sentence, of_these in alike.items() if sentence]
    yield Block(prose=True, text="\n".join(notes))
    yield Block(caveats=[*_describe_scope(rows, kept, of, levels, seed)])
    if seed is not None:
        yield Block(commands=[("kassay compare --group FILE", "your own groups")])


def _build_records(
    rows: Sequence[Sequence[Measured]], of: Family, names: Sequence[str], spread: Mapping[str, DominatedCount]
) -> list[dict[str, object]]:
    """Return the sums of each target as JSON."""
    levels = of.oracles.levels if of.oracles else ()
    sums, far_off = sum_measures(rows, [*of.measures, *of.run_measures]), sum_distances(rows, levels, of)
    return [
        {
            "record": "sums", "target": name, "family": rows[0][n].family, "groups": len(rows), "summed": len(select_comparable(rows)),
            "failed": sum(row[n].failure is not None for row in rows),
            "illegal": sum(not row[n].legal for row in rows),
            "rebalances": max((row[n].rebalances for row in rows if row[n].legal), default=None),
            "unsettled": sum(not row[n].at_rest for row in rows),
            "measures": sums[n],
            "distances": [distance.as_json() for distance in far_off[n].values()],
            "dominated": asdict(spread[name]) if name in spread else None,
        }
        for n, name in enumerate(names)
    ]  # fmt: skip


def _select_levels(kept: Sequence[Sequence[Measured]]) -> list[str]:
    """Return the levels that have a column: those that tell answers apart first, then in the family's order."""
    found = list(dict.fromkeys(gap.level for row in kept for one in row for gap in one.gaps))
    worse = {
        level: any(gap.over > 0 for row in kept for one in row for gap in one.gaps if gap.level == level)
        for level in found
    }
    chosen = sorted(found, key=lambda level: (not worse[level], found.index(level)))[:MOST]
    return [level for level in found if level in chosen]


def _describe_leaders(
    labels: Sequence[str],
    best: Sequence[int],
    kept: Sequence[Sequence[Measured]],
    groups: int,
    wrong: Sequence[int],
) -> str:
    """Return which targets are most often optimal, and how many answers are incorrect."""
    if not kept:
        return f"No comparison: in none of {groups:,} groups are all assignors correct."
    if not any(one.gaps for row in kept for one in row):
        return f"No optimum is known for these {len(kept):,} groups. The sums are in --json."
    leading = [label for label, number in zip(labels, best, strict=True) if number == max(best)]
    often = f"in {max(best):,} of {len(kept):,} groups"
    if len(labels) == 1:
        said = f"{labels[0]} is optimal {often}"
    elif len(leading) == len(labels):
        said = f"All {len(labels)} assignors are equally often optimal: {often}"
    else:
        are = "is" if len(leading) == 1 else "are"
        said = f"{join_names(leading)} {are} most often optimal: {often}"
    failing = [label for label, number in zip(labels, wrong, strict=True) if number]
    if failing:
        are, up_to = ("are", "up to ") if len(failing) > 1 else ("is", "")
        said += f". {join_names(failing)} {are} incorrect in {up_to}{max(wrong):,} of {groups:,}"
    return f"{said}."


def _describe_scope(
    rows: Sequence[Sequence[Measured]],
    kept: Sequence[Sequence[Measured]],
    of: Family,
    levels: Sequence[str],
    seed: int | None,
) -> Iterator[str]:
    """Yield the groups that the numbers count, the ones without numbers, and the seed."""
    right = len(select_comparable(rows))
    left, waits = len(rows) - right, right - len(kept)
    out = [f", in which all assignors are correct. The other {left:,} are left out"] if left else []
    if waits:
        out.append(
            f". In {waits:,} more groups another rebalance follows, so they are not compared with the optimum"
        )
    yield f"The columns right of the first count {len(kept):,} groups{''.join(out)}."
    reading = {
        name for name in (of.oracles.levels if of.oracles else ()) if of.level(name).counts == "reading"
    }
    if reading and not any(of.level(name).counts == "reading" for name in levels):
        yield "All assignors have minimal reads across racks."
    slow = max((one.rebalances for row in kept for one in row), default=1)
    if slow > 1:
        yield f"Assignments count after the group converges: at most {slow} rebalances."
    if seed is not None:
        yield f"Groups are generated to find defects (seed {seed}). The numbers are not frequencies in production."
    yield "Sums of all measures: add --json."
