"""What a check says: the answer first, then the broken promises with their groups, the rest, and what to do next.

What a check says of groups on which a target failed before, in the last run or in the baseline: what still fails, and what is repaired.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from kassay.cli.saying.checking.headline import MARKS, Story, breach, ending, headline, on, short, stories
from kassay.cli.saying.checking.quality import quality
from kassay.cli.saying.checking.results import (
    Results,
    grid_of,
    messages,
    pasted,
    sentences,
    sizes,
    verdict_record,
)
from kassay.cli.saying.checking.standing import known_defects, not_promised, notes, rest
from kassay.cli.saying.checking.targets import rows
from kassay.cli.saying.explained import FRAMES, meaning
from kassay.cli.saying.picture import short_names
from kassay.comparison.knowing import grave_defects
from kassay.engine.failures import became
from kassay.engine.verdict import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    SKIPPED,
    Verdict,
    exit_status,
    fails,
)
from kassay.families import family
from kassay.families.names import within
from kassay.families.words import plainest_first, when
from kassay.output import Block, JUnitCase
from kassay.output.block import json_line
from kassay.playground.link import link
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


STORIES = 3
"""So many broken promises of one target are shown with their group, of several targets one; of the others there is a row."""


def told(results: Results) -> Iterator[Block]:
    """Say who does what wrong in a sentence, then what is wrong or known, how good answers are, what to do next, and the exit status."""
    broken = stories(one for one in results.findings if one[0].outcome == BROKEN)
    known = stories(one for one in results.findings if one[0].outcome == KNOWN_DEFECT)
    status = exit_status(results.verdicts, strict=results.strict)
    says = headline(
        results.verdicts, broken, known, results.tallies, results.specs, results.seeds, results.distances,
        strict=results.strict,
    )  # fmt: skip
    ends = status if results.unwritable is None else 2
    records: list[dict[str, object]] = [{"record": "check", "status": ends, "mark": MARKS[status]}]
    cases = [_case(results, verdict) for verdict in results.verdicts]
    yield Block(says=says, mark=MARKS[status], records=[*records, *_records(results)], cases=cases)
    alone = len(results.specs) == 1
    yield from _rows(results) if not alone else ()
    yield from _broken(results, broken)
    yield from _untold(results, says, alone=alone)
    if alone:
        yield from rest(results, broken, known)
    elif results.known:
        yield from known_defects(results)
    yield from not_promised(results)
    if alone and any(one.compared or one.unproved for one in results.distances):
        yield Block(prose=True, grid=quality(results.distances), fold="How good its answers are")
    yield from of_baseline(results)
    yield from replayed(results)
    yield from notes(results)
    yield from _next(results, broken)
    if results.unwritable is None:
        yield Block(prose=True, text=ending(results.verdicts, strict=results.strict))


def _records(results: Results) -> Iterator[dict[str, object]]:
    """Yield what programs read: grave defects, verdicts, distances, findings, tallies, and what was not asked."""
    paths = {id(finding): path for finding, path in results.findings}
    for grave in grave_defects([finding for finding, _ in results.findings]):
        yield {**grave.json(), **_place(results, paths[id(grave.finding)])}
    yield from (verdict_record(verdict) for verdict in results.verdicts)
    yield from ({"record": "distance", **distance.as_json()} for distance in results.distances)
    for one, path in results.findings:
        yield {"record": "finding", **_place(results, path), **one.json()}
    for one, path in results.accepted:
        yield {"record": "finding", **_place(results, path), **one.json(), "outcome": BASELINE}
    for tally in results.tallies:
        yield {
            "record": "tally", "target": tally.target, "groups": tally.groups, "seed": results.seeds[0],
            **({"seeds": list(results.seeds)} if len(results.seeds) > 1 else {}),
            "declined": tally.declined, "situations": tally.situations,
            **({"replayed": len(tally.again)} if tally.again else {}),
            **({} if tally.sampled is None else {"sampled": tally.sampled}),
        }  # fmt: skip
    yield from ({"record": "unheld", **asdict(one)} for one in results.unheld)


def _place(results: Results, path: Path) -> dict[str, object]:
    """Return the file in which a finding is saved, if it is."""
    return {} if results.unsaved else {"file": str(path)}


def _rows(results: Results) -> Iterator[Block]:
    """Show the targets that were tried, one row each; a spec and the name that its target gave itself come in one order."""
    names = dict(zip(results.specs, [tally.target for tally in results.tallies], strict=False))
    ran = {tally.target for tally in results.tallies if tally.groups or tally.declined}
    shown = [spec for spec in results.specs if names.get(spec, spec) in ran]
    if shown:
        yield rows(shown, results.verdicts, results.distances, names)


def _broken(results: Results, broken: Sequence[Story]) -> Iterator[Block]:
    """Show the worst broken promises with their smallest group, the others as rows."""
    several = len(results.specs) > 1
    most = 1 if several else STORIES
    for n, story in enumerate(broken[:most]):
        one = story.first
        of = f"{'Smallest group' if one.smallest else 'Smallest group found'}: {sizes(one)}"
        intro = f"It {breach(story, results.verdicts)}.\n" if n else ""  # of the first the headline says it
        yield Block(prose=True, text=f"{intro}{of}")
        yield Block(prose=True, grid=grid_of(one))
        yield Block(prose=True, text="\n".join(_asks(story)))
    more = [
        [
            f"{short(one.first.target, results.specs)}: " * several + one.does,
            f"{one.first.count:,}",
            str(one.path),
        ]
        for one in broken[most:]
    ]
    if more:
        yield Block(title="Broken, too", prose=True, grid=TextTable(["", "groups", "finding"], more))
    quiet = [v for v in results.verdicts if v.outcome == BROKEN and not results.of(v)]
    if quiet:
        yield Block(
            prose=True,
            text="\n".join(f"{short(v.target, results.specs)}: {v.property}: {v.message}." for v in quiet),
        )


def _asks(story: Story) -> Iterator[str]:
    """Say what is wrong, where it is known but worse here, where code failed; then what each promise asks, its name in brackets."""
    one = story.first
    of = family(one.family)
    yield from (f"{said}{'' if said.endswith('.') else '.'}" for said in messages(one))
    if one.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(one.seen_in))
        yield f"All of them have {plain}, where it is known; made smaller, one of them breaks it beyond that."
    yield from (f"  {frame}" for frame in one.stack.splitlines()[:FRAMES])
    for each in story.findings:
        asks = meaning(of, each.property) if each.property in of.properties else "Both answer the same"
        yield f"{asks} (promise: {each.property})."


def _untold(results: Results, says: str, *, alone: bool) -> Iterator[Block]:
    """Say of each target what could not be told, and why, once for each reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for v in results.verdicts:
        if v.outcome in {ERRORED, SKIPPED}:
            reasons.setdefault((v.target, v.message), []).append(v.property)
    said = []
    for (target, why), names in reasons.items():
        judged = max(
            (v.judged for v in results.verdicts if v.target == target and v.property in names), default=0
        )
        after = f", kept on {counted(judged, 'group')} until it could not be asked any more" if judged else ""
        what = names[0] if len(names) == 1 else f"{len(names)} promises"
        said.append(
            f"could not tell: {what}{'' if alone else f' of {short(target, results.specs)}'}{after}: {why}"
        )
    only = (
        alone
        and len(reasons) == 1
        and not any(v.judged for v in results.verdicts)
        and "could not be tested" in says
    )  # then the headline says it
    yield from [Block(prose=True, text="\n".join(said))] if said and not only else []


def _next(results: Results, broken: Sequence[Story]) -> Iterator[Block]:
    """Say what to do next, with commands to copy."""
    if broken and results.unsaved:
        first = broken[0].first
        group = json_line(family(first.family).write_group(first.group))
        yield Block(prose=True, text="The finding could not be saved. Its group:", code=[f"  {group}"])
    elif broken:
        first = broken[0].first
        replay = first.replay(shlex.quote(str(broken[0].path)))
        yield Block(
            prose=True,
            text="Next: change the code, then run this group alone (with --as pytest it is a test for pytest):",
            code=[f"  {replay}"],
        )
        if play := link(family(first.family).write_group(first.group), first.target):
            yield Block(prose=True, text="Or change the group in the playground:", code=[f"  {play}"])
    elif len(results.specs) > 1:
        defect = next((v.target for v in results.verdicts if v.outcome == KNOWN_DEFECT), "")
        spec = next((each for each in results.specs if each == defect), results.specs[0])
        code = [f"  kassay check {shlex.quote(spec)}{' --known' * bool(defect)}"]
        if results.usual:
            code.append("  kassay check python:my_package.assignors:assign")
        yield Block(
            prose=True, text="One of them, and your own:" if results.usual else "One of them:", code=code
        )


def _case(results: Results, verdict: Verdict) -> JUnitCase:
    strictly = verdict.outcome == KNOWN_DEFECT and fails(verdict.outcome, strict=results.strict)
    outcome = BROKEN if strictly else verdict.outcome
    body = [line for one, path in results.of(verdict) for line in (*sentences(one), *pasted(one, path), "")]
    return JUnitCase(
        verdict.target, verdict.property, outcome, _because(results, verdict), "\n".join(body).strip()
    )


def _because(results: Results, verdict: Verdict) -> str:
    """Say what became of a property: of what is broken the same sentence as the headline's, then what was seen."""
    found = stories(one for one in results.of(verdict) if one[0].outcome == verdict.outcome)
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT} and found:
        first = found[0].first
        short = short_names(family(first.family), first.group, first.runs)
        return f"{breach(found[0], results.verdicts)}: {within(verdict.message, short)}"
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT}:
        return f"{verdict.message}, {on(verdict)}"
    if verdict.outcome == ERRORED and verdict.judged:
        return f"could not tell: kept on {counted(verdict.judged, 'group')} until it could not be asked any more: {verdict.message}"
    return verdict.message
