"""What a check says: the verdicts, a block for each finding, and how much was tried."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kassay import __version__
from kassay.cli.saying.checked import (
    MARKS,
    Story,
    breach,
    ending,
    groups,
    headline,
    on,
    short,
    stories,
)
from kassay.cli.saying.explained import meaning
from kassay.cli.saying.known import known_rows
from kassay.cli.saying.picture import picture
from kassay.cli.saying.quality import quality
from kassay.cli.saying.targets import explained, rows
from kassay.comparison.distance import Distance
from kassay.comparison.grave import grave_defects, releases
from kassay.comparison.unheld import Unheld
from kassay.engine.finding import Finding, as_python
from kassay.engine.verdict import (
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    NOT_PROMISED,
    SKIPPED,
    Tally,
    Verdict,
    exit_status,
)
from kassay.families import family
from kassay.families.words import does, plainest_first, way_out, when, worst_first
from kassay.output import Block, JUnitCase
from kassay.properties.words import counted
from kassay.shape import TextTable


@dataclass
class Results:
    """All that a check found of its targets; the findings with the files they are saved in."""

    specs: Sequence[str]
    seed: int
    strict: bool
    usual: bool = False
    """Whether no target was named, so that these are Kafka's own."""
    known: bool = False
    """Whether all known defects are to be shown."""
    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[tuple[Finding, Path]] = field(default_factory=list)
    distances: list[Distance] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    unheld: list[Unheld] = field(default_factory=list)

    def add(self, item: Finding | Verdict | Distance | Tally | Unheld, folder: Path) -> None:
        """Take one thing that a check yields; a finding is saved into the folder."""
        match item:
            case Finding():
                self.findings.append((item, item.save(folder)))
            case Verdict():
                self.verdicts.append(item)
            case Distance():
                self.distances.append(item)
            case Tally():
                self.tallies.append(item)
            case Unheld():
                self.unheld.append(item)

    def family_of(self, verdict: Verdict) -> str:
        """Return the family of a verdict with a breach: that of its finding."""
        return self.of(verdict)[0][0].family

    def of(self, verdict: Verdict) -> list[tuple[Finding, Path]]:
        """Return the findings that a verdict rests on."""
        return [
            (one, path)
            for one, path in self.findings
            if (one.target, one.property) == (verdict.target, verdict.property)
        ]


STORIES = 3
"""So many broken promises of one target are shown with their group, of several targets one; of the others there is a row."""


def told(results: Results) -> Iterator[Block]:
    """Say who does what wrong in a sentence, then what is wrong or known, how good answers are, what to do next, and the exit status."""
    broken = stories(one for one in results.findings if one[0].outcome == BROKEN)
    known = stories(one for one in results.findings if one[0].outcome == KNOWN_DEFECT)
    status = exit_status(results.verdicts, strict=results.strict)
    says = headline(
        results.verdicts, broken, known, results.tallies, results.specs, results.seed, results.distances,
        strict=results.strict,
    )  # fmt: skip
    records: list[dict[str, object]] = [{"record": "check", "status": status, "mark": MARKS[status]}]
    cases = [_case(results, verdict) for verdict in results.verdicts]
    yield Block(says=says, mark=MARKS[status], records=[*records, *_records(results)], cases=cases)
    alone = len(results.specs) == 1
    yield from _rows(results) if not alone else ()
    yield from _broken(results, broken)
    yield from _untold(results, says, alone=alone)
    if alone:
        yield from _rest(results, broken, known)
    elif results.known:
        yield from _known(results)
    yield from _not_promised(results)
    if alone and any(one.compared or one.unproved for one in results.distances):
        yield Block(prose=True, grid=quality(results.distances), fold="How good its answers are")
    yield from _notes(results)
    yield from _next(results, broken)
    yield Block(prose=True, text=ending(results.verdicts, strict=results.strict))


def _records(results: Results) -> Iterator[dict[str, object]]:
    """Yield what programs read: grave defects, verdicts, distances, findings, tallies, and what was not asked."""
    paths = {id(finding): str(path) for finding, path in results.findings}
    for grave in grave_defects([finding for finding, _ in results.findings]):
        yield {**grave.json(), "file": paths[id(grave.finding)]}
    yield from (verdict_record(verdict) for verdict in results.verdicts)
    yield from ({"record": "distance", **asdict(distance)} for distance in results.distances)
    yield from ({"record": "finding", "file": str(path), **one.json()} for one, path in results.findings)
    for tally in results.tallies:
        yield {
            "record": "tally", "target": tally.target, "groups": tally.groups, "seed": results.seed,
            "declined": tally.declined, "situations": tally.situations,
            **({} if tally.sampled is None else {"sampled": tally.sampled}),
        }  # fmt: skip
    yield from ({"record": "unheld", **asdict(one)} for one in results.unheld)


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
        verdict = next(v for v in results.verdicts if (v.target, v.property) == (one.target, one.property))
        seen = one.count if one.count > 1 or not verdict.breaches else verdict.breaches
        least = "Smallest group" if one.smallest else "Smallest group found"
        of = f"{least} of {seen:,} that show{'s' * (seen == 1)} it (of {verdict.judged:,}): {sizes(one)}"
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
        yield Block(prose=True, text="\n".join(f"{v.target}: {v.property}: {v.message}." for v in quiet))


def _asks(story: Story) -> Iterator[str]:
    """Say what is wrong, where it is known but worse here, where code failed; then what each promise asks, its name in brackets."""
    one = story.first
    of = family(one.family)
    yield from (f"{said}{'' if said.endswith('.') else '.'}" for said in one.messages)
    if one.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(one.seen_in))
        yield f"All of them have {plain}, where it is known; made smaller, one of them breaks it beyond that."
    yield from (f"  {frame}" for frame in one.stack.splitlines())
    for each in story.findings:
        asks = meaning(of, each.property) if each.property in of.properties else "Both answer the same"
        yield f"{asks} (promise: {each.property})."


def sizes(finding: Finding) -> str:
    """Count what is in the group of a finding: 2 members, 1 partition."""
    shape = family(finding.family).shape
    counts = {name: size(finding.group) for name, size in shape.sizes.items()}
    return ", ".join(
        f"{number:,} {name if number != 1 else SINGLE.get(name, name.removesuffix('s'))}"
        for name, number in counts.items()
    )


SINGLE = {"subtopologies": "subtopology", "processes": "process"}


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
        after = f", kept on {groups(judged)} until it could not be asked any more" if judged else ""
        what = names[0] if len(names) == 1 else f"{len(names)} promises"
        said.append(f"could not tell: {what}{'' if alone else f' of {target}'}{after}: {why}")
    only = (
        alone
        and len(reasons) == 1
        and not any(v.judged for v in results.verdicts)
        and "could not be tested" in says
    )  # then the headline says it
    yield from [Block(prose=True, text="\n".join(said))] if said and not only else []


def _rest(results: Results, broken: Sequence[Story], known: Sequence[Story]) -> Iterator[Block]:
    """Say of one target how many promises hold, which are limits, and the worst of the known defects."""
    of_each = {
        outcome: [v for v in results.verdicts if v.outcome == outcome]
        for outcome in (KEPT, KNOWN_DEFECT, LIMIT)
    }
    kept, defects, limits = (len(each) for each in of_each.values())
    if results.known and defects:
        yield from _known(results)
        return
    told = sum(v.outcome != NOT_PROMISED for v in results.verdicts)
    said = []
    if broken and kept:
        said.append(f"Else ok: {_promises(kept)} hold{'s' * (kept == 1)}.")
    elif not broken and told > 1 and (defects or limits):
        said.append(f"Of its {_promises(told)} {kept} always hold{'s' * (kept == 1)}.")
    if limits:
        names = ", ".join(does(family(results.family_of(v)), v.property) for v in of_each[LIMIT])
        said.append(f"It has {counted(limits, 'limit')}, what it was never made for: it {names}.")
    if defects:
        has = "has" if defects == 1 else "have"
        kafkas = (
            f" that Kafka {releases(results.verdicts[0].target)} has, too"
            if releases(results.verdicts[0].target)
            else ""
        )
        they = "it is" if defects == 1 else "they are"
        counts = "counted, for --strict" if results.strict else f"not counted; with --strict {they}"
        said.append(
            f"{defects} {has} {'a known defect' if defects == 1 else 'known defects'}{kafkas} ({counts})."
        )
    if known:
        said.append(_worst(known))
    command = f"kassay check {shlex.quote(results.specs[0])} --known"
    each = f"all {defects}, each with its group" if defects > 1 else "with its group"
    code = [f"  {command}        {each}"] if known else []
    text = " ".join(said)
    if text:
        fold = f"{_promises(kept)} hold, {defects} with known defects" if defects else ""
        yield Block(prose=True, text=text, code=code, fold=fold)


def _promises(number: int) -> str:
    return counted(number, "promise")


def _worst(known: Sequence[Story]) -> str:
    """Say which known defect is worst, when it shows, and how to stay out of it."""
    one = known[0].first
    term = plainest_first(one.met)[0]
    given = f", the given one {one.given} among them" if one.given else ""
    out = f" Way out: {way_out(term)}." if way_out(term) else ""
    return f"The worst: it {known[0].does} ({groups(one.count)}{given}), as with {when(family(one.family), term)}.{out}"


def _known(results: Results) -> Iterator[Block]:
    """Show all known defects, target by target."""
    found = [one for one in results.findings if one[0].outcome == KNOWN_DEFECT]
    for target in dict.fromkeys(one.target for one, _ in found):
        yield from known_rows(target, found, results.verdicts, results.specs)


def _not_promised(results: Results) -> Iterator[Block]:
    """Show as rows what is broken and not promised by anybody."""
    found = stories(one for one in results.findings if one[0].outcome == NOT_PROMISED)
    several = len(results.specs) > 1
    rows_ = [
        [
            f"{short(one.first.target, results.specs)}: " * several + one.does,
            ", ".join(each.property for each in one.findings),
            str(one.path),
        ]
        for one in found
    ]
    if rows_:
        yield Block(prose=True, grid=TextTable(["not promised, and so", "promise", "finding"], rows_))


def _notes(results: Results) -> Iterator[Block]:
    """Say what was not tried, not proved or not asked."""
    said = []
    errored = {v.target for v in results.verdicts if v.outcome == ERRORED}
    for tally in results.tallies:
        said += [f"{tally.target} declined {groups(number)}: {why}" for why, number in tally.declined.items()]
        if not tally.groups and not tally.declined and tally.target not in errored:
            said.append(f"{tally.target}: no group was tested.")
    for tally in results.tallies:
        if tally.sampled is not None:
            said.append(
                f"{tally.target}: promises of several runs were tried on a sample of {groups(tally.sampled)}, "
                f"with --examples {tally.groups} on all."
            )
    samples = {one.target: (one.groups, one.tried) for one in results.distances if one.sampled}
    for target, (number, tried) in samples.items():
        said.append(
            f"{target}: how good its answers are was measured on a sample, {number:,} of {groups(tried)}."
        )
    missing = {one.target: (one.unproved, one.unproved_why) for one in results.distances if one.unproved}
    for target, (number, why) in missing.items():
        said.append(
            f"{target}: {groups(number)} stand in no share, for the best possible was not proved: {why}"
        )
    if len(results.specs) > 1 and any(tally.groups for tally in results.tallies):
        said.append(explained(results.distances, results.verdicts))
    if said:
        yield Block(prose=True, text="\n".join(said))
    yield from (_unheld(one) for one in results.unheld)


def _next(results: Results, broken: Sequence[Story]) -> Iterator[Block]:
    """Say what to do next, with commands to copy."""
    if broken:
        replay = broken[0].first.replay(shlex.quote(str(broken[0].path)))
        yield Block(
            prose=True,
            text="Next: change the code, then run this group alone (with --as pytest it is a test for pytest):",
            code=[f"  {replay}"],
        )
    elif len(results.specs) > 1:
        defect = next((v.target for v in results.verdicts if v.outcome == KNOWN_DEFECT), "")
        spec = next((each for each in results.specs if each == defect), results.specs[0])
        code = [f"  kassay check {shlex.quote(spec)}{' --known' * bool(defect)}"]
        if results.usual:
            code.append("  kassay check python:my_package.assignors:assign")
        yield Block(
            prose=True, text="One of them, and your own:" if results.usual else "One of them:", code=code
        )


def verdict_record(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON."""
    limits = {"except_in": list(verdict.except_in)} if verdict.except_in else {}
    return {
        "record": "verdict",
        "target": verdict.target,
        "property": verdict.property,
        "outcome": verdict.outcome,
        "message": verdict.message,
        "judged": verdict.judged,
        "breaches": verdict.breaches,
        **({"reduced": verdict.reduced} if verdict.reduced else {}),
        **limits,
    }


def finding_block(finding: Finding, path: Path) -> Block:
    """Show a broken promise with the smallest group, to be read and to be pasted."""
    title = f"{finding.target} {does(family(finding.family), finding.property)} ({finding.property})"
    return Block(title, "\n".join(sentences(finding)), grid_of(finding), pasted(finding, path))


def sentences(finding: Finding) -> list[str]:
    """Say what is wrong, on how many groups, whether that is known, and where the target's own code failed."""
    said = [*finding.messages]
    said.append(
        f"seen on {groups(finding.count)}"
        + (f", the given one {finding.given} among them" if finding.given else "")
    )
    of = family(finding.family)
    if finding.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(finding.seen_in))
        said.append(f"all with {plain}, where it is known; made smaller, one of them breaks it beyond that")
    if finding.known:
        said.append(known_defect(finding))
    return [*said, *(f"  {frame}" for frame in finding.stack.splitlines())]


def known_defect(finding: Finding) -> str:
    """Say why a breach is a known defect, or a limit."""
    of = family(finding.family)
    return f"{finding.outcome} when there is {' or '.join(when(of, each) for each in plainest_first(finding.met))} ({finding.property})"


def pasted(finding: Finding, path: Path) -> list[str]:
    """Write the group as JSON and as Python, and the command that shows it again."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found"
    return [
        f"{least}, as JSON:   {group}",
        f"{least}, as Python: {as_python(finding.group)}",
        f"replay: {finding.replay(path)}   (seed {finding.seed}, kassay {__version__})",
    ]


def grid_of(finding: Finding) -> TextTable:
    """Show a finding's group and what the target answered, with arrows at those of whom it speaks."""
    of = family(finding.family)
    return picture(of, finding.group, finding.assignment, finding.runs, finding.messages)


def _case(results: Results, verdict: Verdict) -> JUnitCase:
    outcome = BROKEN if results.strict and verdict.outcome == KNOWN_DEFECT else verdict.outcome
    body = [line for one, path in results.of(verdict) for line in (*sentences(one), *pasted(one, path), "")]
    return JUnitCase(
        verdict.target, verdict.property, outcome, _because(results, verdict), "\n".join(body).strip()
    )


def _because(results: Results, verdict: Verdict) -> str:
    """Say what became of a property: of what is broken the same sentence as the headline's, then what was seen."""
    found = stories(one for one in results.of(verdict) if one[0].outcome == verdict.outcome)
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT} and found:
        return f"{breach(found[0], results.verdicts)}: {verdict.message}"
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT}:
        return f"{verdict.message}, {on(verdict)}"
    if verdict.outcome == ERRORED and verdict.judged:
        return f"could not tell: kept on {groups(verdict.judged)} until it could not be asked any more: {verdict.message}"
    return verdict.message


def _unheld(one: Unheld) -> Block:
    """Say of a target that promises nothing what it was not asked, and how to ask for that."""
    said = f"It names no promises, so these are the {len(one.held)} that every assignor must keep."
    if one.broken:
        worst = worst_first(one.broken)[0]
        said += (
            f" Of {len(one.not_held)} more that Kafka's own make it breaks {len(one.broken)} on {groups(one.groups)}, "
            f"such as: {one.broken[worst]} ({worst})."
        )
    breaks = f", {len(one.breaks)} of which it breaks" if one.breaks else ""
    said += f" For the {one.promises} of {one.fits}, which fit it best{breaks}, without allowing it their known defects:"
    return Block(
        prose=True,
        text=said,
        code=[f"  kassay check {shlex.quote(one.target)} --promises-of {one.fits} --strict"],
    )
