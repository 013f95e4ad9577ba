"""The headline of one group: who reaches the best possible, who misses it in what, and who comes nearest."""

from collections.abc import Mapping, Sequence

from kassay.comparison.measured import Measured
from kassay.comparison.target_labels import listed
from kassay.oracles.answers import Gap

TWO, NAMED = 2, 3
"""A sentence names no more targets than this."""
PASSING = frozenset({"moves", "restore"})
"""Levels of what a rebalance costs once; all others last."""
UNEVEN = "by less even loads"
"""Why a value is below the optimum: each is that of the most even loads, so nothing else can be."""


def written(gap: Gap) -> str:
    """Write a value beside the optimum: ``0`` where it is the optimum, ``3 for 1`` above it, and in words why it is below."""
    if not gap.over:
        return "0"
    return f"{gap.value:,} for {gap.optimum:,}" if gap.over > 0 else f"{gap.value:,}, {UNEVEN}"


def missed(one: Measured) -> list[str]:
    """Say in which levels an answer is above the best, with both values."""
    return [f"{gap.level} {written(gap)}" for gap in one.gaps if gap.over > 0]


def ungraded(one: Measured) -> str:
    """Say what an answer is that has no gaps to the optimum."""
    return "an answer that is not compared with the optimum" if one.legal else "no complete and legal answer"


def lasting(one: Measured) -> tuple[int, ...]:
    """Return how far an assignment is from the best possible in what lasts."""
    return tuple(max(0, gap.over) for gap in one.gaps if gap.level not in PASSING)


def distance(one: Measured) -> tuple[int, ...]:
    """Return how far an answer is from the best possible: what lasts first, then what a rebalance costs once."""
    return (*lasting(one), *(max(0, gap.over) for gap in one.gaps if gap.level in PASSING))


def question(levels: Sequence[str]) -> str:
    """Return the question whose answer is the best possible: the levels in the order of :func:`distance`."""
    return ",".join(sorted(levels, key=PASSING.__contains__))


def reaches(one: Measured, together: Mapping[str, int] | None = None) -> bool:
    """Say whether an answer is as good as can be in every level that is proved: in each of them, or in all of them `together`.

    Where no assignment has the optimum of all levels, that which has the optimum of each after those before it is best.
    """
    if not one.gaps or not missed(one):
        return bool(one.gaps)
    known = together or {}
    return all(gap.value <= known[gap.level] if gap.level in known else gap.over <= 0 for gap in one.gaps)


def headline(answers: Sequence[tuple[str, Measured]], together: Mapping[str, int] | None = None) -> str:
    """Say who reaches the best possible and who misses it in what; where nobody does, who comes nearest."""
    reach = [label for label, one in answers if reaches(one, together)]
    rest = [(label, one) for label, one in answers if label not in reach]
    none = "Neither assignor" if len(rest) == TWO else f"None of the {len(rest)} assignors"
    if len(rest) > 1 and not any(one.legal for _, one in answers):
        return f"{none} gives a complete and legal answer."
    if not any(one.gaps for _, one in answers):  # no optimum is known
        told = [
            f"{label} gives {'a' if one.legal else 'no'} complete and legal answer"
            for label, one in rest[:NAMED]
        ]
        more = len(rest) - NAMED
        return f"{'; '.join(told)}{f'; the measures of {more} more stand below' if more > 0 else ''}."
    if not reach and len(rest) > 1 and (legal := [(label, one) for label, one in rest if one.gaps]):
        least = min(distance(one) for _, one in legal)
        near = [label for label, one in legal if distance(one) == least]
        best = next(one for label, one in legal if label == near[0])
        comes = "comes" if len(near) == 1 else "come"
        return f"{none} reaches the best possible; {_few(near)} {comes} nearest: {listed(missed(best))}."
    told = [f"{_few(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best possible"] if reach else []
    what = "it" if reach else "the best possible"
    told += [
        f"{label} {f'misses {what}: {listed(missed(one))}' if one.gaps else f'gives {ungraded(one)}'}"
        for label, one in rest[:NAMED]
    ]
    more = len(rest) - NAMED
    if more > 0:
        told.append(f"{more} more {'does' if more == 1 else 'do'} not reach it")
    return f"{'; '.join(told)}."


def others(answers: Sequence[tuple[str, Measured]]) -> str:
    """Say in a sentence or two what the targets that are not drawn do with the group."""
    reach = [label for label, one in answers if reaches(one)]
    told = [f"{listed(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best"] if reach else []
    for label, one in answers:
        if label not in reach:
            told.append(f"{label}: {', '.join(missed(one)) or ungraded(one)}")
    return f"{'; '.join(told)}." if told else ""


def _few(names: Sequence[str]) -> str:
    return listed(names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"])
