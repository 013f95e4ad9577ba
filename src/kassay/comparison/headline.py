"""The headline of one group: who holds what, what would be even, and, where nobody holds anything yet, who reaches the best possible.

What targets are called in sentences, tables and figures.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kassay.comparison.holdings import called, each, held, loads, roles
from kassay.comparison.measured import Measured
from kassay.family import Family
from kassay.oracles.answers import Answer, Gap
from kassay.sentences import listed
from kassay.shape import Shape

DISTRIBUTED_AS = {"kafka": "kafka-python"}
"""Package -> what it is installed as, where people know it by that name."""


def label_of(target: str) -> str:
    """Return what people call a target: code by its class or function, without the scheme and the path to it; a name of kassay's is that."""
    scheme, colon, place = target.partition(":")
    if not colon:
        return target
    if scheme == "python":
        module, _, attribute = place.partition(":")
        package, dot, _ = module.partition(".")
        if dot and attribute[:1].isupper():
            return f"{DISTRIBUTED_AS.get(package, package)}'s {attribute}"
        return f"{module.rpartition('.')[2]}:{attribute}" if attribute else target
    before, hash_, name = place.rpartition("#")
    if scheme == "kafka" and hash_:
        return f"Kafka {before}'s {name.rpartition('/')[2]}"
    return name if hash_ else place or target


def target_labels(targets: Sequence[str]) -> dict[str, str]:
    """Give every target its label: what people call it, without the family where all are of one; where two are called alike, whole."""
    families = {name.partition("/")[0] for name in targets if ":" not in name}
    short = {
        name: name.partition("/")[2]
        if "/" in name and ":" not in name and len(families) == 1
        else label_of(name)
        for name in targets
    }
    said = [*short.values()]
    return {name: label if said.count(label) == 1 else name for name, label in short.items()}


TWO, NAMED = 2, 3
"""A sentence names no more targets than this."""
UNEVEN = "by less even loads"
"""Why a value is below the optimum: each is that of the most even loads, so nothing else can be."""
SMALL_NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
WRONG = {
    "exclusive": "two of them hold the same",
    "existing": "one holds what does not exist",
    "subscribed": "one holds what it does not read",
}
"""Invariant -> what is wrong where the present breaks it; what nobody holds is counted."""


def written(gap: Gap) -> str:
    """Write a value beside the optimum: ``0`` where it is the optimum, ``3, where 1 would do`` above it, and in words why it is below."""
    if not gap.over:
        return "0"
    return f"{gap.value:,}, where {gap.optimum:,} would do" if gap.over > 0 else f"{gap.value:,}, {UNEVEN}"


def missed(one: Measured) -> list[str]:
    """Say in which levels an answer is above the best, with both values."""
    return list(dict.fromkeys(gap.said.beside(gap.value, gap.optimum) for gap in one.gaps if gap.over > 0))


def less_even(one: Measured) -> bool:
    """Say whether an answer is less even than could be."""
    return any(gap.over > 0 for gap in one.gaps if gap.said.counts == "loads")


def moves_beside_fewest(one: Measured) -> Gap | None:
    """Return the moves of an answer beside the fewest possible; None where they are not compared."""
    return next((gap for gap in one.gaps if gap.said.counts == "moving"), None)


def ungraded(one: Measured) -> str:
    """Say what an answer is that has no gaps to the optimum."""
    return "an answer that is not compared with the best possible" if one.legal else "a wrong answer, or none"


def lasting(one: Measured) -> tuple[int, ...]:
    """Return how far an assignment is from the best possible in what lasts and is not asked for behind what a rebalance costs."""
    return tuple(max(0, gap.over) for gap in one.gaps if gap.said.turn == 0)


def as_good_as_can_be(one: Measured) -> bool:
    """Say whether nothing is better than an assignment in what lasts, also in what is asked for behind what a rebalance costs, such as spread."""
    return bool(one.gaps) and all(gap.over <= 0 for gap in one.gaps if not gap.said.passing)


def distance(one: Measured) -> tuple[int, ...]:
    """Return how far an answer is from the best possible: what lasts first, then what a rebalance costs once, then what is asked behind that."""
    return tuple(max(0, gap.over) for gap in sorted(one.gaps, key=lambda gap: gap.said.turn))


def question(family: Family, compared: Iterable[str]) -> str:
    """Return the question whose answer is the best possible: the levels of a family that answers are compared in, in the order of :func:`distance`."""
    levels = [level for level in (family.oracles.levels if family.oracles else ()) if level in compared]
    return ",".join(sorted(levels, key=lambda level: family.level(level).turn))


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
        return f"{none} gives a right answer."
    if not any(one.gaps for _, one in answers):  # no optimum is known
        told = [
            f"{label} gives a {'right' if one.legal else 'wrong'} answer{'' if one.legal else ', or none'}"
            for label, one in rest[:NAMED]
        ]
        more = len(rest) - NAMED
        return f"{'; '.join(told)}{f'; the numbers of {more} more stand below' if more > 0 else ''}."
    if not reach and len(rest) > 1 and (legal := [(label, one) for label, one in rest if one.gaps]):
        least = min(distance(one) for _, one in legal)
        near = [label for label, one in legal if distance(one) == least]
        best = next(one for label, one in legal if label == near[0])
        comes = "comes" if len(near) == 1 else "come"
        return f"{none} reaches the best possible; {_few(near)} {comes} nearest: {'; '.join(missed(best))}."
    told = [f"{_few(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best possible"] if reach else []
    told += [
        f"{label} {f'does not: {listed(missed(one))}' if reach else f'does not reach the best possible: {listed(missed(one))}'}"
        if one.gaps
        else f"{label} gives {ungraded(one)}"
        for label, one in rest[:NAMED]
    ]
    more = len(rest) - NAMED
    if more > 0:
        told.append(f"nor {'does' if more == 1 else 'do'} {more} more")
    return f"{'; '.join(told)}."


def others(answers: Sequence[tuple[str, Measured]]) -> str:
    """Say in a sentence or two what the targets that are not drawn do with the group."""
    reach = [label for label, one in answers if reaches(one)]
    told = [f"{listed(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best"] if reach else []
    for label, one in answers:
        if label not in reach:
            told.append(f"{label}: {'; '.join(missed(one)) or ungraded(one)}")
    return f"{'; '.join(told)}." if told else ""


def holding(shape: Shape, now: Measured, best: Answer, *, is_listing: bool) -> str:
    """Say who holds what now and what would be even; `is_listing` says that one of Kafka's tools tells it."""
    has, then = held(shape, now.assignment), held(shape, best.assignment)
    owners = list(dict.fromkeys([*then, *has]))
    who = next(iter(shape.sizes))
    used = roles(has, then)
    spread = {role: (_apart(loads(has, owners, role)), _apart(loads(then, owners, role))) for role in used}
    role = next((role for role in used if spread[role][0] > spread[role][1]), used[0])
    numbers, possible = loads(has, owners, role), loads(then, owners, role)
    what = called(shape, role)
    as_even = _apart(numbers) <= _apart(possible) and not now.broken
    told = [_who_holds(numbers, what, who, possible) + (", as even as can be." if as_even else ".")]
    lost = sum(sum(loads(then, owners, each)) - sum(loads(has, owners, each)) for each in used)
    wrong = [WRONG[name] for name in now.broken if name in WRONG]
    if lost > 0 and "complete" in now.broken:
        told.append(
            f"The listing lacks {lost:,} {what}."
            if is_listing
            else f"Nobody holds {lost:,} of {lost + sum(numbers):,} {what}."
        )
    elif wrong or now.broken:
        told.append(
            f"That is wrong: {listed(wrong)}." if wrong else f"That is wrong ({', '.join(now.broken)})."
        )
    if not as_even:
        told.append(f"Even is {each(possible)}{f' {what}' if len(used) > 1 else ''}." if not lost else "")
    else:
        worse = (
            gap.said.beside(gap.value, gap.optimum)
            for gap in now.gaps
            if gap.over > 0 and not gap.said.passing
        )
        told += [f"It has {each_}." for each_ in dict.fromkeys(worse)]
    return " ".join(filter(None, told))


def _apart(numbers: Sequence[int]) -> int:
    return max(numbers, default=0) - min(numbers, default=0)


def _who_holds(numbers: Sequence[int], what: str, who: str, possible: Sequence[int]) -> str:
    """Say how much of what members hold: six members hold 36 partitions each, three hold 24."""
    counts, one = Counter(numbers), who.removesuffix("s")
    if len(numbers) == 1:
        return f"its only {one} holds {numbers[0]:,} {_unit(what, numbers[0])}"
    if len(counts) == 1:
        return f"{'both' if len(numbers) == TWO else f'all {in_words(len(numbers))}'} {who} hold {numbers[0]:,} {_unit(what, numbers[0])} each"
    if counts[0] and min(possible, default=0):
        return f"{in_words(counts[0])} of {in_words(len(numbers))} {who} {'has' if counts[0] == 1 else 'have'} nothing"
    (most, first), (least, rest) = max(counts.items()), min(counts.items())
    if len(counts) == 2:
        hold, others_ = ("holds" if n == 1 else "hold" for n in (first, rest))
        apiece = " each" if first > 1 else ""
        has = (
            f"{in_words(rest)} {others_} {least:,}"
            if least
            else f"{in_words(rest)} {'holds' if rest == 1 else 'hold'} none"
        )
        return f"{in_words(first)} {one if first == 1 else who} {hold} {most:,} {_unit(what, most)}{apiece}, {has}"
    return f"{in_words(len(numbers))} {who} hold {least:,} to {most:,} {what} each"


def _unit(what: str, number: int) -> str:
    return what.removesuffix("s") if number == 1 else what


def in_words(number: int) -> str:
    """Write a number up to twelve as a word."""
    return SMALL_NUMBERS[number] if number < len(SMALL_NUMBERS) else f"{number:,}"


def _few(names: Sequence[str]) -> str:
    return listed(names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"])
