"""The output of `kassay worst`: how bad an assignor can be, the group on which it is, and whether that grows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.comparison.headline import label_of
from kassay.comparison.measured import called, held, loads, roles
from kassay.families.names import cut
from kassay.family import Family
from kassay.oracles.answers import Answer, Gap, Worst
from kassay.output import Block
from kassay.output.pretty import bar
from kassay.sentences import listed
from kassay.shape import TextTable

FEW = 4
"""The largest number of owners of which the headline names the load of each."""
BAR = 16
"""Columns of the longest bar."""


def render_headline(target: str, measure: str, found: Worst, of: Family, own: Any, best: Any) -> str:
    """Return how bad it is, what would be possible, and whether it grows without end."""
    short = label_of(target).removeprefix(f"{of.name}/")
    if found.gap is None:
        return f"{short}: nothing was found that is worse than the best possible ({measure})."
    endless = any(each.bounded is False for each in found.grown)
    here, there = _describe_gap(found.gap, of, own, best)
    what = "uneven" if of.level(found.gap.level).evens is not None else "bad"
    if endless:
        return f"{short} can be as {what} as you like: {here}, where {there} is possible, and worse the larger the group."
    return f"{short} is at worst this {what}, as far as was searched: {here}, where {there} is possible."


def _describe_gap(gap: Gap, of: Family, own: Any, best: Any) -> tuple[str, str]:
    """Return what the assignor has and what is possible: loads if there are few, else the numbers with their unit."""
    words = of.level(gap.level)
    if words.evens is None:
        alone = words.one == words.many  # it is no number of things
        return words.counted(gap.value) if alone else f"{gap.value:,} {words.unit[1]}", f"{gap.optimum:,}"
    mine, others = held(of.shape, own), held(of.shape, best)
    role = roles(mine, others)[0]
    if len(others) > FEW:
        return f"{gap.value:,} apart", f"{gap.optimum:,}"
    both = (sorted(loads(one, [*others], role), reverse=True) for one in (mine, others))
    own_loads, best_loads = (listed([f"{number:,}" for number in numbers]) for numbers in both)
    return own_loads, best_loads


def render_worst(
    target: str, measure: str, found: Worst, of: Family, own: Any, best: Answer | None, record: Mapping[str, Any],
    again: Sequence[str], seed: int,
) -> Iterator[Block]:  # fmt: skip
    """Yield the group, how it grows, how to see it again, and what was searched."""
    yield Block(
        says=render_headline(target, measure, found, of, own, best.assignment if best else None),
        records=[record],
    )
    if found.gap is not None and best is not None:
        yield _draw_loads(target, found, of, own, best.assignment)
        yield Block(prose=True, text="\n".join(_describe_growth(found)), code=again)
    searched = f"{found.everything}, then larger ones" if found.everything else "groups"
    yield Block(prose=True, text=f"Searched: {searched} by chance (seed {seed}). A worse one may exist.")


def _draw_loads(target: str, found: Worst, of: Family, own: Any, best: Any) -> Block:
    """Return loads as bars if these are what is uneven, else what each owner is assigned."""
    short = label_of(target).removeprefix(f"{of.name}/")
    if found.gap is None or of.level(found.gap.level).evens is None:
        return Block(prose=True, grid=of.shape.show(found.group, {short: own, "the best": best}))
    mine, others = held(of.shape, own), held(of.shape, best)
    role = roles(mine, others)[0]
    names = cut([*others])
    most = max([*loads(mine, [*others], role), *loads(others, [*others], role), 1])
    rows = []
    for owner, name in names.items():
        (one,), (two,) = loads(mine, [owner], role), loads(others, [owner], role)
        rows.append(
            [name, bar(one, longest=most, room=BAR), f"{one:,}", bar(two, longest=most, room=BAR), f"{two:,}"]
        )
    return Block(prose=True, grid=TextTable([called(of.shape, role), short, "", "the best", ""], rows))


def _describe_growth(found: Worst) -> Iterator[str]:
    """Yield the smallest group on which anything is worse, and the ways in which that grows."""
    yield f"Smallest group on which it is not the best possible: {found.smallest}."
    endless = [each for each in found.grown if each.bounded is False]
    bounded = [each.way for each in found.grown if each.bounded]
    for each in endless:
        first, (most, possible) = each.steps[0][0], each.steps[-1]
        steps = f"from {first:,} up to {most:,}, where {possible:,} is possible"
        yield f"More {each.way} make it worse without end: doubled again and again, {steps}."
    if bounded:
        yield f"More {', or '.join(bounded)} alone {'do' if endless else 'make it'} no{'t' if endless else ' worse'}, as far as was tried."
