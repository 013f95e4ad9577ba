"""One group, drawn: what it has now, what each target does with it, and the best possible, with numbers under each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from kassay.comparison.headline import UNEVEN
from kassay.comparison.measured import Measured
from kassay.docstring import first_sentence
from kassay.family import Family
from kassay.oracles.answers import Answer, Optima
from kassay.reports.shapes import picture_of

ANSWER, BEST, PRESENT = "answer", "best", "now"
NOTHING = "-"
"""The score of what has none."""


@dataclass(frozen=True, slots=True)
class Score:
    """A level's value under a picture, and the best one beside; `off` where it is worse than that."""

    name: str
    says: str
    value: str
    beside: str = ""
    off: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """An assignment of the group: its title, its picture or none, its scores, and what is wrong with it."""

    look: str
    title: str
    picture: Markup | None
    scores: Sequence[Score]
    trouble: str = ""


def drawings(
    family: Family,
    group: Any,
    now: Measured | None,
    answers: Sequence[tuple[str, Measured]],
    best: Answer | None,
    optima: Optima | None,
) -> Iterator[Drawing]:
    """Yield the present assignment, the answers with their labels, and the best possible, as far as there are any."""
    html = picture_of(family.shape).html
    if now is not None:
        yield Drawing(
            PRESENT,
            "Now",
            html("now", group, now.assignment),
            scores(family, now, still=True),
            trouble(family, group, now, still=True),
        )
    for label, one in answers:
        shown = html(label, group, one.settled) if one.failure is None else None
        yield Drawing(ANSWER, label, shown, scores(family, one), trouble(family, group, one))
    if best is not None and optima is not None:
        proved = [
            Score(
                level.name,
                _says(family, level.name),
                f"{level.value:,}",
                _proved(level.value, optima.least[level.name]),
            )
            for level in best.levels
        ]
        yield Drawing(BEST, "The best possible", html("the best possible", group, best.assignment), proved)


def scores(family: Family, one: Measured, *, still: bool = False) -> list[Score]:
    """Return a score for each level; of an assignment that stays as it is (`still`), what is counted over time is nothing.

    What is not complete and legal has values, but none that compare with the best.
    """
    told = []
    gaps = {gap.level: gap for gap in one.gaps}
    for level in gaps or (family.oracles.levels if family.oracles else ()):
        gap, says = gaps.get(level), _says(family, level)
        if one.failure is not None or (still and level in family.timeline_measures):
            told.append(Score(level, says, NOTHING))
        elif gap is None:
            told.append(
                Score(level, says, _written(one.measures.get(_measure(family, level))), "not compared")
            )
        else:
            beside = "the best" if not gap.over else f"best {gap.optimum:,}"
            beside += f"; below it {UNEVEN}" * (gap.over < 0)
            told.append(Score(level, says, f"{gap.value:,}", beside, gap.over > 0))
    return told


def trouble(family: Family, group: Any, one: Measured, *, still: bool = False) -> str:
    """Say why there are no numbers, or what they are of; "" where they are of a right answer at once."""
    if one.failure is not None:
        return f"It gives no assignment: {one.failure}"
    if one.broken:
        first = _first(family, group, one)
        return f"It is not complete and legal. {', '.join(one.broken).capitalize()}{f': {first}' if first else ''}."
    if not one.at_rest:
        return (
            f"It does not come to rest within {one.rebalances} rebalances; this is the last of these answers."
        )
    if not still and one.rebalances > 1:
        return f"It first waits for what members have not handed over yet; this is its answer in rebalance {one.rebalances}."
    return ""


def _first(family: Family, group: Any, one: Measured) -> str:
    """Say how the last answer, or else the first, breaks what is broken; "" where one between them does."""
    said = (family.invariants[one.broken[0]](group, answer) for answer in (one.settled, one.assignment))
    return next((sentence for sentences in said for sentence in sentences), "")


def sentences(words: Sequence[str]) -> str:
    """Write an oracle's words as sentences."""
    return " ".join(f"{word[:1].upper()}{word[1:]}." for word in words)


def _says(family: Family, level: str) -> str:
    """Say what a level counts, in the words of its measure."""
    measure = family.measures.get(_measure(family, level))
    return first_sentence(measure.__doc__) if measure else level


def _written(value: int | None) -> str:
    return NOTHING if value is None else f"{value:,}"


def _measure(family: Family, level: str) -> str:
    return family.oracles.measures.get(level, level) if family.oracles else level


def _proved(value: int, least: int) -> str:
    return "proved" if value == least else f"proved; alone {least:,}"
