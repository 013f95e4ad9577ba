"""The output of `kassay over-time`: the moves of a sequence of rebalances with each assignor, and the minimum."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kassay.comparison.headline import label_target
from kassay.comparison.measured import PlayedSequence
from kassay.families.family import Family
from kassay.families.shape import TextTable
from kassay.oracles.answers import OverTime, Total
from kassay.output import Block
from kassay.sentences import format_size, join_names, lower_first

BEST = "optimum"
NAMED = 3
"""The largest number of sums that the headline names; of more, it names the lowest and the highest."""


@dataclass(frozen=True, slots=True)
class Course:
    """A sequence of rebalances: the group's name, what happens to it, to how many of it."""

    name: str
    kind: str
    number: int
    group: Any

    def words(self, of: Family) -> str:
        """Return the sequence as a noun phrase: a rolling restart of 9 members, 2 new members that join."""
        who, size = next(iter(of.shape.sizes.items()))
        total = size(self.group)
        if self.kind == "bounce":
            return f"a restart of {self.number} of {total} {who} at once"
        if self.kind == "scale-out":
            one = who.removesuffix("s")
            return f"adding 1 {one}" if self.number == 1 else f"adding {self.number} {who} one by one"
        of_all = format_size(total, who) if self.number == total else f"{self.number} of {total} {who}"
        return f"a rolling restart of {of_all}"


def shorten_target(target: str, of: Family) -> str:
    """Return what people call an assignor, without its family, which is the same for all."""
    return label_target(target).removeprefix(f"{of.name}/")


def add_upper_end(best: OverTime, rows: Sequence[PlayedSequence]) -> OverTime:
    """Return an answer that is a bound alone with what the best assignor reaches in its first sum.

    An assignor that keeps every rebalance even shows a sequence, so the least is no more than what it needs. The later sums depend on
    the first, so they stay bounds. Likewise an answer stays as it is that asks for more than even loads at each rebalance.
    """
    reached = [row.totals[best.totals[0].name] for row in rows if not row.trouble and not row.uneven]
    if best.assignments or not reached or select_per_rebalance(best)[1:]:
        return best
    return replace(best, totals=(replace(best.totals[0], value=min(reached)), *best.totals[1:]))


def render_headline(sequence: Course, best: OverTime, rows: Sequence[PlayedSequence], of: Family) -> str:
    """Return the sum of the first objective, such as moves, with each assignor, and the minimum."""
    first = best.totals[0]
    begins = f"{sequence.name}: {sequence.words(of)}"
    unit = of.shape.items if of.level(first.name).counts == "moving" else of.level(first.name).many
    verb = "moves" if of.level(first.name).counts == "moving" else "needs"
    also = "".join(f" and minimal {of.level(name).many}" for name in select_per_rebalance(best)[1:])
    end = f"The minimum with balanced loads{also} is {_format_total(first)}{' (proven)' * first.proved}."
    sums: dict[int, list[str]] = {}
    for row in rows:
        if not row.trouble:
            sums.setdefault(row.totals[first.name], []).append(shorten_target(row.target, of))
    if not sums:
        return f"{begins}: every assignor fails. {end}" if rows else f"{begins}: {lower_first(end)}"
    numbers = sorted(sums)
    told = numbers if len(numbers) <= NAMED else [numbers[0], numbers[-1]]
    said = [f"{n:,} with {_join_or(sums[n])}" for n in told]
    said[0] = (
        f"{format_size(told[0], unit) if unit == of.shape.items else f'{told[0]:,} {unit}'} with {_join_or(sums[told[0]])}"
    )
    return f"{begins} {verb} {join_names(said)}. {end}"


def _join_or(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def select_per_rebalance(best: OverTime) -> list[str]:
    """Return the levels that are asked at each rebalance, and not summed up."""
    return [name for name in best.question.split(",") if name not in {total.name for total in best.totals}]


def _format_total(total: Total) -> str:
    if total.proved:
        return f"{total.least:,}"
    if total.value is None:
        return f"at least {total.least:,}"
    return f"between {total.least:,} and {total.value:,}"


def render_sequence(
    sequence: Course,
    best: OverTime,
    rows: Sequence[PlayedSequence],
    of: Family,
    records: Sequence[Mapping[str, Any]],
    own: Mapping[str, int],
) -> Iterator[Block]:
    """Yield the result, a row for each assignor, and why assignors failed; `own` are the sums of the optimum."""
    yield Block(says=render_headline(sequence, best, rows, of), records=records)
    yield Block(prose=True, grid=build_table(sequence, best, rows, of, own))
    trouble = [f"{shorten_target(row.target, of)}: {row.trouble}" for row in rows if row.trouble]
    if trouble:
        yield Block(prose=True, text="\n".join(trouble))


def select_levels(
    sequence: Course, best: OverTime, rows: Sequence[PlayedSequence], of: Family
) -> dict[str, str]:
    """Return the objectives that have a column and their units, in order; without racks none that count reads."""
    known = "racks" not in of.situations or of.situations["racks"](sequence.group)
    names = dict.fromkeys([*(t.name for t in best.totals), *(name for row in rows for name in row.totals)])
    words = map(of.level, names)
    return {
        each.name: each.many
        for each in words
        if each.counts != "loads" and (known or each.counts != "reading")
    }


def sort_rows(
    sequence: Course, best: OverTime, rows: Sequence[PlayedSequence], of: Family
) -> list[PlayedSequence]:
    """Return rows by increasing sums; assignors that fail are last."""
    shown = select_levels(sequence, best, rows, of)
    later_first = [*rows][::-1]  # of equals: what Kafka got later lets members read on
    return sorted(
        later_first, key=lambda row: (bool(row.trouble), [row.totals.get(name, 0) for name in shown])
    )


def build_table(
    sequence: Course, best: OverTime, rows: Sequence[PlayedSequence], of: Family, own: Mapping[str, int]
) -> TextTable:
    """Return a row for each assignor, by increasing sums, then the optimum with its `own` sums."""
    totals = {total.name: _format_total(total) for total in best.totals}
    totals |= {name: f"{own[name]:,}" for name in select_per_rebalance(best) if name in own}
    shown = list(select_levels(sequence, best, rows, of))
    first = best.totals[0]
    columns = ["strategy"]
    for name in shown:
        columns += [
            of.level(name).many,
            *["relative to\nthe minimum"] * (name == first.name and first.least > 0),
        ]
    columns += ["unbalanced\nafter", "rebalances\n(total)"]
    found = [
        _build_row(row, shown, first, best.rebalances, of) for row in sort_rows(sequence, best, rows, of)
    ]
    last = [BEST]
    for name in shown:
        last += [totals.get(name, "-"), *["1.0x"] * (name == first.name and first.least > 0)]
    return TextTable(columns, [*found, [*last, "never", "-"]])


def _build_row(
    row: PlayedSequence, shown: Sequence[str], first: Total, rebalances: int, of: Family
) -> list[str]:
    name = shorten_target(row.target, of)
    if row.trouble:
        unknown = ["-"] * (len(shown) + (first.name in shown and first.least > 0))
        return [name, *unknown, "-", "-"]
    cells = [name]
    for level in shown:
        cells.append(f"{row.totals[level]:,}")
        if level == first.name and first.least:
            said = f"{row.totals[level] / first.least:.1f}x"
            cells.append(said if first.proved else f"at most {said}")
    uneven = "never" if not row.uneven else f"{row.uneven} of {rebalances}"
    return [*cells, uneven, f"{row.rounds:,}"]
