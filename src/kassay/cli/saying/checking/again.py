"""What a check says of groups on which a target failed before: what still fails, and what is repaired."""

from collections.abc import Iterator

from kassay.cli.saying.checking.headline import short
from kassay.cli.saying.checking.results import Results
from kassay.engine.failures import Failure
from kassay.engine.verdict import BROKEN, KEPT
from kassay.output import Block
from kassay.properties.words import counted


def replayed(results: Results) -> Iterator[Block]:
    """Say what became of the failures of the last run."""
    found = [(one, outcome) for one in results.before if (outcome := became(results, one)) is not None]
    if not found:
        return
    several = len(results.specs) > 1
    fixed = [
        f"{f'{short(one.target, results.specs)}: ' * several}{one.promise}"
        for one, outcome in found
        if outcome == KEPT
    ]
    still = sum(outcome == BROKEN for _, outcome in found)
    said = [f"{still} still fail{'s' * (still == 1)}"] * bool(still)
    said += [
        f"{len(fixed)} {'is' if len(fixed) == 1 else 'are'} repaired ({', '.join(dict.fromkeys(fixed))})"
    ] * bool(fixed)
    other = len(found) - still - len(fixed)
    said += [f"{other} no longer count{'s' * (other == 1)} as broken"] * bool(other)
    records = [
        {
            "record": "replayed",
            "target": one.target,
            "property": one.promise,
            "outcome": outcome,
            "group": one.group,
        }
        for one, outcome in found
    ]
    text = f"Tried first, {counted(len(found), 'failure')} of the last run: {', '.join(said)}."
    yield Block(prose=True, text=text, records=records)


def became(results: Results, failure: Failure) -> str | None:
    """Return what became of a promise on a group on which it was broken before; None where this run did not judge it."""
    return next(
        (
            tally.again[failure.where].get(failure.promise)
            for tally in results.tallies
            if tally.target == failure.target and failure.where in tally.again
        ),
        None,
    )
