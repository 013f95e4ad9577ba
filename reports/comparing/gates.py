"""Gates: what a change of an assignor must not break, judged on a sweep."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.reports.comparing.effects import HIGHER, NOTHING, Effect
from kassay.reports.comparing.pairs import UNANSWERED, Counted

KEPT, BROKEN, UNTOLD = "kept", "broken", "errored"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and what became of it: kept, broken, or errored where nothing could be compared; `says` is the reason."""

    target: str
    name: str
    outcome: str
    says: str


def read_gaps(texts: Sequence[str], levels: Sequence[str]) -> dict[str, int]:
    """Read ``LEVEL=N``; raises InputError where the level is none of the sweep's or N no whole number from 0."""
    most: dict[str, int] = {}
    for text in texts:
        level, sign, number = text.partition("=")
        if not sign or not number.isascii() or not number.isdigit():
            raise InputError(f"--max-gap {text}: write LEVEL=N with a whole number from 0, such as balance=0")
        if level not in levels:
            raise InputError(
                f"--max-gap {text}: the sweep has no level {level!r}; it has {', '.join(levels) or 'none'}"
            )
        most[level] = int(number)
    return most


def within(found: Counted, targets: Sequence[str], most: Mapping[str, int]) -> Iterator[Gate]:
    """Hold the greatest gap of all rows, at every step, against the greatest allowed one."""
    for target in targets:
        for level, allowed in most.items():
            name = f"gap in {level} at most {allowed:,}"
            worst = found.furthest.get((target, level))
            if worst is None:
                yield Gate(target, name, UNTOLD, f"no row of {found.rows[target]:,} has a gap in {level}")
                continue
            where = f"group {worst.id:,}{f' after {worst.step} changes' if worst.step else ''}"
            said = f"the greatest gap is {worst.gap:,}: {worst.value:,} for {worst.optimum:,}, in {where}"
            if not worst.gap:
                said = f"there is none in {found.rows[target]:,} rows"
            yield Gate(target, name, BROKEN if worst.gap > allowed else KEPT, said)


def not_worse(effects: Sequence[Effect], levels: Sequence[str]) -> Iterator[Gate]:
    """Demand that no level, nor the share of answers that are not whole, is higher than the reference's beyond chance."""
    for effect in effects:
        if effect.name in (*levels, UNANSWERED):
            name = f"not worse than {effect.reference} in {effect.name}"
            outcome = {HIGHER: BROKEN, NOTHING: UNTOLD}.get(effect.verdict, KEPT)
            yield Gate(effect.target, name, outcome, in_words(effect))


def in_words(effect: Effect) -> str:
    """Say an effect in a sentence."""
    if effect.verdict == NOTHING:
        return "no group has a value for both"
    if effect.interval is None:
        lower, higher = effect.lower, effect.higher
        return f"{effect.verdict}: lower in {lower:,}, higher in {higher:,} of {effect.pairs:,} groups"
    low, high = effect.interval
    return f"{effect.verdict}: {effect.difference:+.4g} ({low:+.4g} to {high:+.4g}) in the mean of {effect.pairs:,} groups"
