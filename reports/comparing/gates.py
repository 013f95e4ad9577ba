"""Gates: what a change of an assignor must not break, judged on a sweep."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.oracles.levels import LevelWords
from kassay.reports.comparing.effects import HIGHER, NOTHING, Effect
from kassay.reports.comparing.pairs import UNANSWERED, Counted, Furthest
from kassay.reports.sweep.rows import LEGAL

KEPT, BROKEN, UNTOLD = "kept", "broken", "errored"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and what became of it: kept, broken, or errored where that cannot be told; `says` is the reason.

    `about` is the level that it is of, or that a right answer is given. One that asks for nothing worse rests on an `effect`; one of gaps on
    all `rows`, of which so many are `compared` and so many `failed`, with the `worst` of them. `short` is the gate as a user asks for it.
    """

    target: str
    name: str
    outcome: str
    says: str
    about: str = ""
    short: str = ""
    effect: Effect | None = None
    rows: int = 0
    compared: int = 0
    failed: int = 0
    worst: Furthest | None = None


MOST_DIGITS = 18
"""Of the number in ``LEVEL=N``."""


def read_gaps(texts: Sequence[str], levels: Sequence[str]) -> dict[str, int]:
    """Read ``LEVEL=N``; raises InputError where the level is none of the sweep's or N no whole number from 0."""
    most: dict[str, int] = {}
    for text in texts:
        level, sign, number = text.partition("=")
        if not sign or not number.isascii() or not number.isdigit() or len(number) > MOST_DIGITS:
            raise InputError(f"--max-gap {text}: write LEVEL=N with a whole number from 0, such as balance=0")
        if level not in levels:
            raise InputError(
                f"--max-gap {text}: the sweep has no level {level!r}; it has {', '.join(levels) or 'none'}"
            )
        most[level] = int(number)
    return most


def within(found: Counted, targets: Sequence[str], most: Mapping[str, int]) -> Iterator[Gate]:
    """Demand a right answer in all rows, at every step, and of each a gap that is at most the allowed one.

    A row without one breaks the gate; one that tells nothing, skipped or without a proved optimum, leaves it open.
    """
    for target in targets:
        for level, allowed in most.items():
            statuses = found.statuses[target]
            failed = sum(n for status, n in statuses.items() if status not in (*LEGAL, "skipped"))
            yield Gate(
                target, f"gap in {level} at most {allowed:,}", *_judged(found, target, level, allowed), level,
                f"--max-gap {level}={allowed}", None, statuses.total(), found.compared[target, level], failed,
                found.furthest.get((target, level)),
            )  # fmt: skip


def _judged(found: Counted, target: str, level: str, allowed: int) -> tuple[str, str]:
    """Return the outcome of a gate of gaps and the reason, with the number of rows it rests on."""
    statuses, compared = found.statuses[target], found.compared[target, level]
    rows = statuses.total()
    failed = {status: n for status, n in sorted(statuses.items()) if n and status not in (*LEGAL, "skipped")}
    unproved = rows - compared - sum(failed.values()) - statuses["skipped"]
    told = []
    if failed:
        each = ", ".join(f"{status} {n:,}" for status, n in failed.items())
        told.append(f"{sum(failed.values()):,} of {rows:,} rows have no right answer ({each})")
    if statuses["skipped"]:
        told.append(f"{statuses['skipped']:,} of {rows:,} rows are skipped")
    if unproved:
        told.append(f"{unproved:,} of {rows:,} rows have no proved optimum")
    worst = found.furthest.get((target, level))
    if worst is not None:
        changes = f" after {worst.step:,} change{'s' if worst.step > 1 else ''}" if worst.step else ""
        what = f": {worst.value:,} for {worst.optimum:,}, in group {worst.id:,}{changes}" if worst.gap else ""
        told.append(f"the greatest gap is {worst.gap:,}{what}")
    told.append(f"compared: {compared:,} of {rows:,} rows")
    if failed or (worst is not None and worst.gap > allowed):
        return BROKEN, "; ".join(told)
    return KEPT if compared == rows > 0 else UNTOLD, "; ".join(told)


def not_worse(effects: Sequence[Effect], levels: Mapping[str, LevelWords]) -> Iterator[Gate]:
    """Demand that no level is higher than the reference's beyond chance, and every group that it answers legally is answered so.

    `levels` maps each to its words. A group to which only the reference has a right answer is a fact, whatever chance makes
    of their number.
    """
    for effect in effects:
        if effect.name in (*levels, UNANSWERED):
            name = f"not worse than {effect.reference} in {effect.name}"
            worse = effect.higher > 0 if effect.name == UNANSWERED else effect.verdict == HIGHER
            outcome = UNTOLD if effect.verdict == NOTHING else BROKEN if worse else KEPT
            short = f"not worse: {levels[effect.name].asked if effect.name in levels else 'right'}"
            yield Gate(effect.target, name, outcome, in_words(effect), effect.name, short, effect)


def in_words(effect: Effect) -> str:
    """Say an effect in a sentence, with the number of groups it rests on."""
    over = f"{effect.pairs:,} of {effect.groups:,} groups"
    if effect.name == UNANSWERED:
        return (
            f"{effect.higher:,} of {effect.groups:,} groups have a right answer of {effect.reference} alone"
        )
    if effect.pairs < effect.groups:
        over += (
            f"; in {effect.groups - effect.pairs:,} one of them has no right answer, or no optimum is proved"
        )
    if effect.verdict == NOTHING:
        return f"compared: {over}"
    if effect.interval is None:
        return f"{effect.verdict}: lower in {effect.lower:,}, higher in {effect.higher:,}; compared: {over}"
    low, high = effect.interval
    return f"{effect.verdict}: {effect.difference:+.4g} ({low:+.4g} to {high:+.4g}) in the mean; compared: {over}"
