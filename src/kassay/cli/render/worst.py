"""What `kassay worst` shows: how bad an assignor can be in a sentence, the group on which it is, and whether that grows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.comparison.headline import label_of
from kassay.comparison.measured import called, held, loads, roles
from kassay.families.names import cut
from kassay.family import Family
from kassay.oracles.answers import Answer, Gap, Grown, Worst
from kassay.output import Block
from kassay.output.pretty import bar
from kassay.sentences import listed
from kassay.shape import TextTable

FEW = 4
"""Up to so many owners the headline names the load of each."""
BAR = 16
"""Columns of the longest bar."""


def render_headline(target: str, measure: str, found: Worst, of: Family, own: Any, best: Any) -> str:
    """Say how bad it is, what would be possible, and whether it grows without end."""
    short = label_of(target).removeprefix(f"{of.name}/")
    if found.gap is None:
        return f"{short}: nothing was found that is worse than the best possible ({measure})."
    endless = any(each.bounded is False for each in found.grown)
    here, there = _values(found.gap, of, own, best)
    what = "uneven" if of.level(found.gap.level).evens is not None else "bad"
    if endless:
        return f"{short} can be as {what} as you like: {here}, where {there} is possible, and worse the larger the group."
    return f"{short} is at worst this {what}, as far as was searched: {here}, where {there} is possible."


def _values(gap: Gap, of: Family, own: Any, best: Any) -> tuple[str, str]:
    """Say what the assignor has and what is possible: loads where there are few, else the numbers with their unit."""
    words = of.level(gap.level)
    if words.evens is None:
        alone = words.one == words.many  # it is no number of things
        return words.counted(gap.value) if alone else f"{gap.value:,} {words.unit[1]}", f"{gap.optimum:,}"
    mine, others = held(of.shape, own), held(of.shape, best)
    role = roles(mine, others)[0]
    if len(others) > FEW:
        return f"{gap.value:,} apart", f"{gap.optimum:,}"
    return _loads(loads(mine, [*others], role)), _loads(loads(others, [*others], role))


def _loads(numbers: Sequence[int]) -> str:
    said = [f"{number:,}" for number in sorted(numbers, reverse=True)]
    return listed(said)


def render_worst(
    target: str, measure: str, found: Worst, of: Family, own: Any, best: Answer | None, record: Mapping[str, Any],
    again: Sequence[str], seed: int,
) -> Iterator[Block]:  # fmt: skip
    """Show the group, how it grows, how to see it again, and what was searched."""
    yield Block(
        says=render_headline(target, measure, found, of, own, best.assignment if best else None),
        records=[record],
    )
    if found.gap is not None and best is not None:
        yield _picture(target, found, of, own, best.assignment)
        yield Block(prose=True, text="\n".join(_grows(found)), code=again)
    searched = f"{found.everything}, then larger ones" if found.everything else "groups"
    yield Block(prose=True, text=f"Searched: {searched} by chance (seed {seed}). A worse one may exist.")


def _picture(target: str, found: Worst, of: Family, own: Any, best: Any) -> Block:
    """Show loads as bars where these are what is uneven, else who is given what."""
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


def _grows(found: Worst) -> Iterator[str]:
    """Say on which smallest group anything is worse, and in which ways that grows."""
    yield f"Smallest group on which it is not the best possible: {found.smallest}."
    endless = [each for each in found.grown if each.bounded is False]
    bounded = [each.way for each in found.grown if each.bounded]
    for each in endless:
        yield f"More {each.way} make it worse without end: doubled again and again, {_steps(each)}."
    if bounded:
        yield f"More {', or '.join(bounded)} alone {'do' if endless else 'make it'} no{'t' if endless else ' worse'}, as far as was tried."


def _steps(grown: Grown) -> str:
    first, last = grown.steps[0][0], grown.steps[-1]
    return f"from {first:,} up to {last[0]:,}, where {last[1]:,} is possible"
