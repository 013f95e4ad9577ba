"""What a check says of groups on which a target failed before, in the last run or in the baseline: what still fails, and what is repaired."""

import shlex
from collections.abc import Iterator

from kassay.cli.saying.checking.headline import short
from kassay.cli.saying.checking.results import Results
from kassay.engine.failures import became
from kassay.engine.verdict import BROKEN, KEPT
from kassay.output import Block
from kassay.sentences import counted
from kassay.shape import TextTable


def replayed(results: Results) -> Iterator[Block]:
    """Say what became of the failures of the last run."""
    found = [
        (one, outcome) for one in results.before if (outcome := became(one, results.tallies)) is not None
    ]
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


def of_baseline(results: Results) -> Iterator[Block]:
    """Say how much of the baseline is as it says, what passes now, and what this run did not judge."""
    if results.written:
        yield Block(
            prose=True,
            text=f"Wrote {counted(len(results.baseline), 'finding')} into {results.written}, for --baseline.",
        )
    if results.written or not results.baseline:
        return
    file = results.baseline[0].file
    passing = results.passing()
    unasked = sum(became(one, results.tallies) is None for one in results.baseline)
    as_before = len(results.baseline) - len(passing) - unasked
    said = [f"{as_before} as before"] * bool(as_before)
    said += [f"{len(passing)} pass{'es' * (len(passing) == 1)} now"] * bool(passing)
    said += [f"{unasked} not asked about"] * bool(unasked)
    yield Block(
        prose=True, text=f"{file} knows {counted(len(results.baseline), 'finding')}: {', '.join(said)}."
    )
    if passing:
        rows = [[short(one.target, results.specs), one.promise, one.says] for one in passing]
        yield Block(
            prose=True, grid=TextTable(["passes now", "promise", "was"], rows),
            records=[{"record": "passes", "target": one.target, "property": one.promise, "group": one.group} for one in passing],
        )  # fmt: skip
        yield Block(
            prose=True, text="To take out what passes, add to the command:", code=[f"  --write-baseline {shlex.quote(file)}"]
        )  # fmt: skip
