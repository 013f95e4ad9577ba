"""Say of an answer that another one is no worse in all that is compared and shares each kind of thing better: how much, and who gets what instead."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.comparison.holdings import by_role
from kassay.comparison.measured import Measured
from kassay.family import Family
from kassay.names import cut
from kassay.oracles.answers import Dominated
from kassay.oracles.levels import LevelWords
from kassay.sentences import listed
from kassay.shape import Shape

Written: TypeAlias = Mapping[str, Mapping[str, Sequence[Any]]]
"""Owner -> role -> items, as in JSON."""
NAMED = 3
"""So many owners are named of those that get something else."""
KINDS = 3
"""So many kinds are named of what one of them gets, and of what it gets it for."""


def dominance_of(family: Family, group: Any, row: Sequence[Measured]) -> dict[str, Dominated]:
    """Return for each target with a right answer whether another assignment is no worse, and better in a level that is not compared."""
    if family.oracles is None or family.oracles.dominance is None:
        return {}
    dominated = family.oracles.dominance(group)
    judged = {one.target: dominated(one.settled) for one in row if one.legal and one.gaps}
    return {target: found for target, found in judged.items() if found is not None}


def bought(family: Family, one: Measured, found: Dominated | None) -> str:
    """Say what a better answer would have for the same price, and who gets what in it; "" where none is known."""
    if found is None or not found.verdict:
        return ""
    words = family.level(found.level)
    told = f"{by_each(one, words)}: the {words.many} is {found.value:,}, and {same_price(one)} could make it {found.least:,}."
    return f"{told} {instead(family.shape, one.settled, found.better)}"


def by_each(one: Measured, words: LevelWords) -> str:
    """Say what an answer is that is dominated: even in sum alone, or not even that, and not by what a level spreads."""
    even = not any(gap.over > 0 for gap in one.gaps if gap.said.counts == "loads")
    (each, _) = words.each
    return f"even in sum, not by {each}" if even else f"not even by {each} either"


def same_price(one: Measured) -> str:
    """Say how much the better answer moves: ``the same 72 moves``."""
    moved = next((gap.value for gap in one.gaps if gap.said.counts == "moving"), 0)
    return f"the same {moved:,} move{'s' if moved > 1 else ''}" if moved else "as few moves"


def instead(shape: Shape, answer: Any, better: Any) -> str:
    """Say who gets how many of what instead of what, those first for whom most is different: ``Better: b gets 1 of t and 1 of u for 2 of v``."""
    changed = changes(shape, answer, better, KINDS)
    told = [
        f"{owner} {f'gets {more}' if more else 'gives up'}{' for' * bool(more and less)} {less}".rstrip()
        for owner, more, less in changed[:NAMED]
    ]
    left = len(changed) - NAMED
    rest = f"; {left:,} more get something else, too" * (left > 1)
    rest += "; one more gets something else, too" * (left == 1)
    return f"Better: {'; '.join(told)}{rest}."


def changes(shape: Shape, answer: Any, better: Any, most: int | None = None) -> list[tuple[str, str, str]]:
    """Return each owner that has something else in a better answer, with what it gets and for what; of more kinds than `most` the sum is told."""
    before, after = (
        {owner: dict(by_role(given)) for owner, given in shape.write_assignment(each).items()}
        for each in (answer, better)
    )
    role = _find_role(before, after)
    has, then = (_counted(each, role) for each in (before, after))
    gets = {owner: (then[owner] - has[owner], has[owner] - then[owner]) for owner in then}
    owners, kinds = cut([*then]), cut([kind for each in (*has.values(), *then.values()) for kind in each])

    def told(part: Counter[str]) -> str:
        named = sorted(part.items(), key=lambda each: (-each[1], each[0]))[:most]
        others = part.total() - sum(number for _, number in named)
        named_first = [f"{number:,} of {kinds[kind]}" for kind, number in sorted(named)]
        return listed([*named_first, *[f"{others:,} of others"] * bool(others)])

    differ = (owner for owner, each in gets.items() if any(each))
    order = sorted(differ, key=lambda owner: -sum(map(Counter.total, gets[owner])))
    return [(owners[owner], *map(told, gets[owner])) for owner in order]  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Spread:
    """Of so many groups that a target answers: on how many its answer is not at 0 in a level, is dominated, or it is not known whether it is."""

    level: str
    groups: int
    above: int
    dominated: int
    unknown: int

    def says(self, words: LevelWords) -> str:
        """Say it in a sentence, in the words of the level; "" where no answer is known to be dominated."""
        if not self.dominated:
            return ""
        each, many = words.each
        better = f"the same moves could spread {self.dominated:,} of these better by {each}"
        unknown = f"; of {self.unknown:,} that is not known" if self.unknown else ""
        return f"{many} are not evenly spread on {self.above:,} of {self.groups:,} groups; {better}{unknown}."


def spreads(judged: Sequence[Mapping[str, Dominated]], targets: Sequence[str]) -> dict[str, Spread]:
    """Count for each target over the groups of which all answers are judged; none where there is no such group."""
    rows = [row for row in judged if all(target in row for target in targets)]
    return {
        target: Spread(
            rows[0][target].level,
            len(rows),
            sum(row[target].value > 0 for row in rows),
            sum(row[target].verdict is True for row in rows),
            sum(row[target].verdict is None for row in rows),
        )
        for target in targets
        if rows
    }


def _find_role(before: Written, after: Written) -> str:
    """Return the first role in which owners hold something else: active tasks, but tasks where connectors stay where they are."""
    differ = (
        role
        for owner, given in after.items()
        for role, items in given.items()
        if items != before[owner].get(role)
    )
    changed, every = {*differ}, dict.fromkeys(role for given in after.values() for role in given)
    return next((role for role in every if role in changed), "")


def _counted(written: Written, role: str) -> dict[str, Counter[str]]:
    """Count what owners hold of each kind: partitions by their topic, active tasks by their subtopology, tasks by their connector."""
    return {owner: Counter(map(_kind, given.get(role, ()))) for owner, given in written.items()}


def _kind(item: Any) -> str:
    return f"subtopology {item.rpartition('_')[0]}" if isinstance(item, str) else str(item[0])
