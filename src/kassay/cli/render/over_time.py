"""The output of `kassay over-time`: the moves of a sequence of rebalances with each assignor, and the minimum."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kassay.comparison.headline import label_of
from kassay.comparison.measured import Played
from kassay.family import Family
from kassay.oracles.answers import OverTime, Total
from kassay.output import Block
from kassay.sentences import listed
from kassay.shape import TextTable

BEST = "the best possible"


@dataclass(frozen=True, slots=True)
class Course:
    """A sequence of rebalances: the group's name, what happens to it, to how many of it."""

    name: str
    kind: str
    number: int
    group: Any

    def words(self, of: Family) -> str:
        """Return what happens: a rolling restart of all 9, 2 of 9 members that bounce, 2 members that join."""
        who, size = next(iter(of.shape.sizes.items()))
        total = size(self.group)
        if self.kind == "bounce":
            return f"{self.number} of {total} {who} that bounce{'s' * (self.number == 1)}"
        if self.kind == "scale-out":
            one = who.removesuffix("s")
            return f"1 {one} that joins" if self.number == 1 else f"{self.number} {who} that join one by one"
        of_all = f"all {total}" if self.number == total else f"{self.number} of {total} {who}"
        return f"a rolling restart of {of_all}"


def shorten_target(target: str, of: Family) -> str:
    """Return what people call an assignor, without its family, which is the same for all."""
    return label_of(target).removeprefix(f"{of.name}/")


def add_upper_end(best: OverTime, rows: Sequence[Played]) -> OverTime:
    """Return an answer that is a bound alone with what the best assignor reaches in its first sum.

    An assignor that keeps every rebalance even shows a sequence, so the least is no more than what it needs. The later sums depend on
    the first, so they stay bounds. Likewise an answer stays as it is that asks for more than even loads at each rebalance.
    """
    reached = [row.totals[best.totals[0].name] for row in rows if not row.trouble and not row.uneven]
    if best.assignments or not reached or select_per_rebalance(best)[1:]:
        return best
    return replace(best, totals=(replace(best.totals[0], value=min(reached)), *best.totals[1:]))


def render_headline(sequence: Course, best: OverTime, rows: Sequence[Played], of: Family) -> str:
    """Return the sum of the first level, such as moves, with the best and the worst of the assignors, and the minimum."""
    first = best.totals[0]
    begins = f"{sequence.name}: {sequence.words(of)}"
    moves = of.level(first.name).counts == "moving"
    unit = of.shape.items if moves else of.level(first.name).many
    many = sequence.kind != "restart" and sequence.number > 1
    verb = ("move" if moves else "come to") if many else ("moves" if moves else "comes to")
    sums = {row.target: row.totals[first.name] for row in rows if not row.trouble}
    even = "".join(f" and the least {of.level(name).many}" for name in select_per_rebalance(best)[1:])
    end = f"The least with even loads{even} is {_format_total(first)}."
    if not sums:
        return f"{begins}: no assignor comes through. {end}" if rows else f"{begins}: {end}"
    lowest, highest = min(sums.values()), max(sums.values())
    low, high = (
        listed([shorten_target(target, of) for target, own in sums.items() if own == number])
        for number in (lowest, highest)
    )
    said = f"{lowest:,} {unit} with {low}"
    said += f", {highest:,} with {high}" if highest > lowest else ""
    return f"{begins} {verb} {said}. {end}"


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
    rows: Sequence[Played],
    of: Family,
    records: Sequence[Mapping[str, Any]],
    assumed: str,
    own: Mapping[str, int],
) -> Iterator[Block]:
    """Yield a row for each assignor, those with the fewest first, and what was assumed; `own` are the sums of the best possible."""
    yield Block(says=render_headline(sequence, best, rows, of), records=records)
    yield Block(prose=True, grid=build_table(sequence, best, rows, of, own))
    trouble = [f"{shorten_target(row.target, of)}: {row.trouble}" for row in rows if row.trouble]
    if trouble:
        yield Block(prose=True, text="\n".join(trouble))
    if assumed:
        yield Block(prose=True, text=f"Assumed: {assumed}")


def select_levels(sequence: Course, best: OverTime, rows: Sequence[Played], of: Family) -> dict[str, str]:
    """Return the levels that have a column, the first that is asked for first, with what they are called; no racks where none are known."""
    known = "racks" not in of.situations or of.situations["racks"](sequence.group)
    names = dict.fromkeys([*(t.name for t in best.totals), *(name for row in rows for name in row.totals)])
    words = map(of.level, names)
    return {
        each.name: each.many
        for each in words
        if each.counts != "loads" and (known or each.counts != "reading")
    }


def sort_rows(sequence: Course, best: OverTime, rows: Sequence[Played], of: Family) -> list[Played]:
    """Return rows with the fewest first; an assignor that does not come through is last."""
    shown = select_levels(sequence, best, rows, of)
    later_first = [*rows][::-1]  # of equals: what Kafka got later lets members read on
    return sorted(
        later_first, key=lambda row: (bool(row.trouble), [row.totals.get(name, 0) for name in shown])
    )


def build_table(
    sequence: Course, best: OverTime, rows: Sequence[Played], of: Family, own: Mapping[str, int]
) -> TextTable:
    """Return a row for each assignor, those with the fewest first, and one of the best possible, with its `own` sums of what is asked at each rebalance."""
    totals = {total.name: _format_total(total) for total in best.totals}
    totals |= {name: f"{own[name]:,}" for name in select_per_rebalance(best) if name in own}
    shown = list(select_levels(sequence, best, rows, of))
    first = best.totals[0]
    columns = ["strategy"]
    for name in shown:
        columns += [of.level(name).many, *["times the fewest"] * (name == first.name and first.least > 0)]
    columns += ["uneven after", "rebalances"]
    found = [
        _build_row(row, shown, first, best.rebalances, of) for row in sort_rows(sequence, best, rows, of)
    ]
    last = [BEST]
    for name in shown:
        last += [totals.get(name, ""), *[""] * (name == first.name and first.least > 0)]
    return TextTable(columns, [*found, [*last, "never", ""]])


def _build_row(row: Played, shown: Sequence[str], first: Total, rebalances: int, of: Family) -> list[str]:
    name = shorten_target(row.target, of)
    if row.trouble:
        unknown = ["-"] * (len(shown) + (first.name in shown and first.least > 0))
        return [name, *unknown, "could not tell", "-"]
    cells = [name]
    for level in shown:
        cells.append(f"{row.totals[level]:,}")
        if level == first.name and first.least:
            times = Fraction(row.totals[level], first.least)
            said = f"{times.numerator}" if times.denominator == 1 else f"{float(times):.1f}"
            cells.append(said if first.proved else f"at most {said}")
    uneven = "never" if not row.uneven else f"{row.uneven} of {rebalances}"
    return [*cells, uneven, f"{row.rounds:,}"]
