"""The output of `kassay check`: the answer, broken promises with their groups, the rest, and what to do next."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from kassay.cli.render.explain import FRAMES, describe_property
from kassay.cli.render.findings import (
    Results,
    build_verdict_record,
    describe_finding,
    describe_sizes,
    draw_group,
    render_as_code,
    short_names,
    shorten_messages,
)
from kassay.cli.render.verdicts import (
    Story,
    describe_breach,
    describe_exit_status,
    describe_frequency,
    explain_columns,
    group_findings,
    render_distances,
    render_headline,
    render_targets,
    shorten_target,
)
from kassay.comparison.group_facts import grave_defects, releases
from kassay.comparison.headline import label_of
from kassay.engine.check import Unheld
from kassay.engine.failures import became
from kassay.engine.verdict import Verdict, exit_status, fails
from kassay.families import family
from kassay.families.names import within
from kassay.families.words import does, label, plainest_first, way_out, when, worst_first
from kassay.family import Family
from kassay.output import Block, JUnitCase
from kassay.output.block import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    MARKS,
    NOT_PROMISED,
    SKIPPED,
    json_line,
)
from kassay.playground.link import link
from kassay.sentences import counted
from kassay.shape import TextTable

STORIES = 3
"""The number of broken promises of one target that are shown with their group. Of several targets one is shown; the others are rows."""


def render_check(results: Results) -> Iterator[Block]:
    """Yield the answer, what is wrong or known, how good answers are, what to do next, and the exit status."""
    broken = group_findings(one for one in results.findings if one[0].outcome == BROKEN)
    known = group_findings(one for one in results.findings if one[0].outcome == KNOWN_DEFECT)
    status = exit_status(results.verdicts, strict=results.strict)
    says = render_headline(results, broken, known)
    ends = status if results.unwritable is None else 2
    records = [{"record": "check", "status": ends, "mark": MARKS[status]}, *_build_records(results)]
    cases = [_build_case(results, verdict) for verdict in results.verdicts]
    yield Block(says=says, mark=MARKS[status], records=records, cases=cases)
    alone = len(results.specs) == 1
    if not alone:
        # A spec and the name that its target gave itself come in one order.
        names = dict(zip(results.specs, [tally.target for tally in results.tallies], strict=False))
        ran = {tally.target for tally in results.tallies if tally.groups or tally.declined}
        if shown := [spec for spec in results.specs if names.get(spec, spec) in ran]:
            yield render_targets(results, shown, names)
    yield from _render_broken(results, broken)
    yield from _render_untested(results, says, alone=alone)
    if alone:
        yield from render_kept(results, broken, known)
    elif results.known:
        yield from render_known_defects(results)
    yield from render_not_promised(results)
    if alone and any(one.compared or one.unproved for one in results.distances):
        yield Block(prose=True, grid=render_distances(results.distances), fold="How good its answers are")
    yield from describe_baseline(results)
    yield from describe_replays(results)
    yield from render_notes(results)
    yield from _render_undeclared(results.unheld, alone=alone)
    yield from _render_next(results, broken)
    if results.unwritable is None:
        yield Block(prose=True, text=describe_exit_status(results))


def _build_records(results: Results) -> Iterator[dict[str, object]]:
    """Yield the JSON of grave defects, verdicts, distances, findings, tallies, and of what was not asked."""

    def find_file(path: Path) -> dict[str, object]:
        return {} if results.unsaved else {"file": str(path)}

    paths = {id(finding): path for finding, path in results.findings}
    for grave in grave_defects([finding for finding, _ in results.findings]):
        yield {**grave.json(), **find_file(paths[id(grave.finding)])}
    yield from (build_verdict_record(verdict) for verdict in results.verdicts)
    yield from ({"record": "distance", **distance.as_json()} for distance in results.distances)
    for one, path in results.findings:
        yield {"record": "finding", **find_file(path), **one.json()}
    for one, path in results.accepted:
        yield {"record": "finding", **find_file(path), **one.json(), "outcome": BASELINE}
    for tally in results.tallies:
        yield {
            "record": "tally", "target": tally.target, "groups": tally.groups, "seed": results.seeds[0],
            **({"seeds": list(results.seeds)} if len(results.seeds) > 1 else {}),
            "declined": tally.declined, "situations": tally.situations,
            **({"replayed": len(tally.again)} if tally.again else {}),
            **({} if tally.sampled is None else {"sampled": tally.sampled}),
        }  # fmt: skip
    yield from ({"record": "unheld", **asdict(one)} for one in results.unheld)


def _build_case(results: Results, verdict: Verdict) -> JUnitCase:
    """Return the JUnit case of a verdict; a broken promise has the sentence of the headline, then what was seen."""
    own = results.of(verdict)
    found = group_findings(one for one in own if one[0].outcome == verdict.outcome)
    message = verdict.message
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT}:
        message = f"{message}, {describe_frequency(verdict)}"
        if found:
            first = found[0].first
            short = short_names(family(first.family), first.group, first.runs)
            message = f"{describe_breach(found[0], results.verdicts)}: {within(verdict.message, short)}"
    elif verdict.outcome == ERRORED and verdict.judged:
        message = f"could not tell: kept on {counted(verdict.judged, 'group')} until it could not be asked any more: {message}"
    strictly = verdict.outcome == KNOWN_DEFECT and fails(verdict.outcome, strict=results.strict)
    body = [line for one, path in own for line in (*describe_finding(one), *render_as_code(one, path), "")]
    outcome = BROKEN if strictly else verdict.outcome
    return JUnitCase(verdict.target, verdict.property, outcome, message, "\n".join(body).strip())


def _render_broken(results: Results, broken: Sequence[Story]) -> Iterator[Block]:
    """Yield the worst broken promises with their smallest group, then the others as rows."""
    several = len(results.specs) > 1
    most = 1 if several else STORIES
    for n, story in enumerate(broken[:most]):
        one = story.first
        of = f"{'Smallest group' if one.smallest else 'Smallest group found'}: {describe_sizes(one)}"
        # The headline already has the sentence of the first one.
        intro = f"It {describe_breach(story, results.verdicts)}.\n" if n else ""
        yield Block(prose=True, text=f"{intro}{of}")
        grid = draw_group(family(one.family), one.group, one.assignment, one.runs, one.messages)
        yield Block(prose=True, grid=grid)
        yield Block(prose=True, text="\n".join(_describe_story(story)))
    more = [
        [
            f"{shorten_target(one.first.target, results.specs)}: " * several + one.does,
            f"{one.first.count:,}",
            str(one.path),
        ]
        for one in broken[most:]
    ]
    if more:
        yield Block(title="Broken, too", prose=True, grid=TextTable(["", "groups", "finding"], more))
    quiet = [
        f"{shorten_target(v.target, results.specs)}: {v.property}: {v.message}."
        for v in results.verdicts
        if v.outcome == BROKEN and not results.of(v)
    ]
    if quiet:
        yield Block(prose=True, text="\n".join(quiet))


def _describe_story(story: Story) -> Iterator[str]:
    """Yield what is wrong, where it is known but worse here, where code failed, and what each promise asks."""
    one = story.first
    of = family(one.family)
    yield from (f"{said}{'' if said.endswith('.') else '.'}" for said in shorten_messages(one))
    if one.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(one.seen_in))
        yield f"All of them have {plain}, where it is known; made smaller, one of them breaks it beyond that."
    yield from (f"  {frame}" for frame in one.stack.splitlines()[:FRAMES])
    for each in story.findings:
        known = each.property in of.properties
        yield f"{describe_property(of, each.property) if known else 'Both answer the same'} (promise: {each.property})."


def _render_untested(results: Results, says: str, *, alone: bool) -> Iterator[Block]:
    """Yield what could not be told of each target, once for each reason."""
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
        whose = "" if alone else f" of {shorten_target(target, results.specs)}"
        said.append(f"could not tell: {what}{whose}{after}: {why}")
    in_headline = (
        alone
        and len(reasons) == 1
        and not any(v.judged for v in results.verdicts)
        and "could not be tested" in says
    )
    if said and not in_headline:
        yield Block(prose=True, text="\n".join(said))


def render_kept(results: Results, broken: Sequence[Story], known: Sequence[Story]) -> Iterator[Block]:
    """Yield how many promises one target keeps, which are limits, and the worst of the known defects."""
    kept, defects, limited = (
        [v for v in results.verdicts if v.outcome == outcome] for outcome in (KEPT, KNOWN_DEFECT, LIMIT)
    )
    if results.known and defects:
        yield from render_known_defects(results)
        return
    unseen = sum(bool(v.except_in) for v in kept)
    told = sum(v.outcome != NOT_PROMISED for v in results.verdicts)
    said = []
    if broken and kept:
        said.append(f"Else ok: {counted(len(kept), 'promise')} hold{'s' * (len(kept) == 1)}.")
    elif not broken and told > 1 and (defects or limited or unseen):
        always = len(kept) - unseen
        said.append(f"Of its {counted(told, 'promise')} {always} always hold{'s' * (always == 1)}.")
        if unseen:
            defect = "a known defect" if unseen == 1 else "known defects"
            said.append(f"{unseen} held here, with {defect} that none of these groups shows.")
    if limited:
        names = ", ".join(does(family(results.of(v)[0][0].family), v.property) for v in limited)
        said.append(f"It has {counted(len(limited), 'limit')}, what it was never made for: it {names}.")
    if defects:
        one = len(defects) == 1
        release = releases(results.verdicts[0].target)
        kafkas = f" that Kafka {release} has, too" if release else ""
        they = "it is" if one else "they are"
        counts = "counted, for --strict" if results.strict else f"not counted; with --strict {they}"
        has = "has a known defect" if one else "have known defects"
        said.append(f"{len(defects)} {has}{kafkas} ({counts}).")
    code = []
    if known:
        first = known[0].first
        term = plainest_first(first.met)[0]
        given = f", the given one {first.given} among them" if first.given else ""
        out = f" Way out: {way_out(term)}." if way_out(term) else ""
        said.append(
            f"The worst: it {known[0].does} ({counted(first.count, 'group')}{given}), as with {when(family(first.family), term)}.{out}"
        )
        each = f"all {len(defects)}, each with its group" if len(defects) > 1 else "with its group"
        code = [f"  kassay check {shlex.quote(results.specs[0])} --known        {each}"]
    if said:
        fold = f"{counted(len(kept), 'promise')} hold, {len(defects)} with known defects" if defects else ""
        yield Block(prose=True, text=" ".join(said), code=code, fold=fold)


def render_known_defects(results: Results) -> Iterator[Block]:
    """Yield the known defects of each target, the worst first: count, situation and file, then each situation with its workaround."""
    found = [one for one in results.findings if one[0].outcome == KNOWN_DEFECT]
    for target in dict.fromkeys(one.target for one, _ in found):
        own = [(one, path) for one, path in found if one.target == target]
        rows, files = [], []
        met: dict[str, Family] = {}
        for name in worst_first({one.property for one, _ in own}):
            same = [(one, path) for one, path in own if one.property == name]
            terms = plainest_first({term for one, _ in same for term in one.met})
            first, path = next(each for each in same if terms[0] in each[0].met)
            verdict = next(v for v in results.verdicts if (v.target, v.property) == (target, name))
            more = f" +{len(terms) - 1}" if len(terms) > 1 else ""
            met |= dict.fromkeys(terms[0].split("+"), family(first.family))
            count = f"{verdict.breaches:,} of {verdict.judged:,}"
            rows.append([does(family(first.family), name), count, f"{label(terms[0])}{more}"])
            files.append([name, path.name])
        alone = len(results.specs) == 1
        head = "known defect" if alone else f"known defect of {shorten_target(target, results.specs)}"
        yield Block(prose=True, grid=TextTable([head, "groups", "when"], rows))
        situations = []
        for term in plainest_first(met):
            out = f" (way out: {way_out(term)})" if way_out(term) else ""
            situations.append([label(term), f"{when(met[term], term)}{out}"])
        yield Block(prose=True, grid=TextTable(["", ""], situations))
        folder = str(own[0][1].parent)
        text = f"The smallest group of each, in {folder}:"
        yield Block(prose=True, text=text, grid=TextTable(["", ""], files))
        shown = shlex.quote(f"{folder}/{files[0][1]}")
        yield Block(prose=True, text="One of them:", code=[f"  kassay explain {shown}"])


def render_not_promised(results: Results) -> Iterator[Block]:
    """Yield as rows what is broken and not promised."""
    several = len(results.specs) > 1
    rows = [
        [
            f"{shorten_target(one.first.target, results.specs)}: " * several + one.does,
            ", ".join(each.property for each in one.findings),
            str(one.path),
        ]
        for one in group_findings(one for one in results.findings if one[0].outcome == NOT_PROMISED)
    ]
    if rows:
        yield Block(prose=True, grid=TextTable(["not promised, and so", "promise", "finding"], rows))


def describe_baseline(results: Results) -> Iterator[Block]:
    """Yield how much of the baseline still holds, what passes now, and what this run did not test."""
    number = counted(len(results.baseline), "finding")
    if results.written:
        yield Block(prose=True, text=f"Wrote {number} into {results.written}, for --baseline.")
    if results.written or not results.baseline:
        return
    file = results.baseline[0].file
    passing = results.passing()
    unasked = sum(became(one, results.tallies) is None for one in results.baseline)
    as_before = len(results.baseline) - len(passing) - unasked
    said = [f"{as_before} as before"] * bool(as_before)
    said += [f"{len(passing)} pass{'es' * (len(passing) == 1)} now"] * bool(passing)
    said += [f"{unasked} not asked about"] * bool(unasked)
    yield Block(prose=True, text=f"{file} knows {number}: {', '.join(said)}.")
    if passing:
        rows = [[shorten_target(one.target, results.specs), one.promise, one.says] for one in passing]
        yield Block(
            prose=True, grid=TextTable(["passes now", "promise", "was"], rows),
            records=[{"record": "passes", "target": one.target, "property": one.promise, "group": one.group} for one in passing],
        )  # fmt: skip
        code = [f"  --write-baseline {shlex.quote(file)}"]
        yield Block(prose=True, text="To take out what passes, add to the command:", code=code)


def describe_replays(results: Results) -> Iterator[Block]:
    """Yield what became of the failures of the last run."""
    found = [(one, outcome) for one in results.before if (outcome := became(one, results.tallies))]
    if not found:
        return
    several = len(results.specs) > 1
    fixed = [
        f"{f'{shorten_target(one.target, results.specs)}: ' * several}{one.promise}"
        for one, outcome in found
        if outcome == KEPT
    ]
    still = sum(outcome == BROKEN for _, outcome in found)
    other = len(found) - still - len(fixed)
    said = [f"{still} still fail{'s' * (still == 1)}"] * bool(still)
    if fixed:
        are = "is" if len(fixed) == 1 else "are"
        said.append(f"{len(fixed)} {are} repaired ({', '.join(dict.fromkeys(fixed))})")
    said += [f"{other} no longer count{'s' * (other == 1)} as broken"] * bool(other)
    records = [
        {"record": "replayed", "target": one.target, "property": one.promise, "outcome": outcome, "group": one.group}
        for one, outcome in found
    ]  # fmt: skip
    text = f"Tried first, {counted(len(found), 'failure')} of the last run: {', '.join(said)}."
    yield Block(prose=True, text=text, records=records)


def render_notes(results: Results) -> Iterator[Block]:
    """Yield what was not tried, not proved or not asked."""
    said = []
    errored = {v.target for v in results.verdicts if v.outcome == ERRORED}
    for tally in results.tallies:
        who = label_of(tally.target)
        said += [
            f"{who} declined {counted(number, 'group')}: {why}" for why, number in tally.declined.items()
        ]
        if not tally.groups and not tally.declined and tally.target not in errored:
            said.append(f"{who}: no group was tested.")
    for tally in results.tallies:
        if tally.sampled is not None:
            said.append(
                f"{label_of(tally.target)}: promises of several runs were tried on a sample of {counted(tally.sampled, 'group')}, "
                f"with --examples {tally.groups} on all."
            )
    samples = {one.target: (one.groups, one.tried) for one in results.distances if one.sampled}
    for target, (number, tried) in samples.items():
        said.append(
            f"{label_of(target)}: how good its answers are was measured on a sample, {number:,} of {counted(tried, 'group')}."
        )
    missing = {one.target: (one.unproved, one.unproved_why) for one in results.distances if one.unproved}
    for target, (number, why) in missing.items():
        said.append(
            f"{label_of(target)}: {counted(number, 'group')} stand in no share, for the best possible was not proved: {why}"
        )
    if len(results.specs) > 1 and any(tally.groups for tally in results.tallies):
        said.append(explain_columns(results))
    if said:
        yield Block(prose=True, text="\n".join(said))


def _render_undeclared(unheld: Sequence[Unheld], *, alone: bool) -> Iterator[Block]:
    """Yield what targets that declare no promises were not asked, and the commands that ask for it."""
    if not unheld:
        return
    names = "It" if alone else ", ".join(label_of(one.target) for one in unheld)
    held = sorted({len(one.held) for one in unheld})
    every = f"{held[0]}" if len(held) == 1 else f"{held[0]} to {held[-1]}"
    name = "names" if len(unheld) == 1 else "name"
    said = f"{names} {name} no promises, so these are the {every} that every assignor must keep."
    if len(unheld) > 1:
        said += " For more, without allowing known defects:"
    else:
        (one,) = unheld
        if one.broken:
            worst = worst_first(one.broken)[0]
            said += (
                f" Of {len(one.not_held)} more that Kafka's own make it breaks {len(one.broken)} on {counted(one.groups, 'group')}, "
                f"such as: {one.broken[worst]} ({worst})."
            )
        breaks = f", {len(one.breaks)} of which it breaks" if one.breaks else ""
        said += f" For the {one.promises} of {one.fits}, which fit it best{breaks}, without allowing it their known defects:"
    code = [f"  kassay check {shlex.quote(one.target)} --promises-of {one.fits} --strict" for one in unheld]
    yield Block(prose=True, text=said, code=code)


def _render_next(results: Results, broken: Sequence[Story]) -> Iterator[Block]:
    """Yield what to do next, with commands to copy."""
    if broken:
        first = broken[0].first
        group = family(first.family).write_group(first.group)
        if results.unsaved:
            text = "The finding could not be saved. Its group:"
            yield Block(prose=True, text=text, code=[f"  {json_line(group)}"])
            return
        text = "Next: change the code, then run this group alone (with --as pytest it is a test for pytest):"
        replay = first.replay(shlex.quote(str(broken[0].path)))
        yield Block(prose=True, text=text, code=[f"  {replay}"])
        if play := link(group, first.target):
            yield Block(prose=True, text="Or change the group in the playground:", code=[f"  {play}"])
    elif len(results.specs) > 1:
        defect = next((v.target for v in results.verdicts if v.outcome == KNOWN_DEFECT), "")
        spec = defect if defect in results.specs else results.specs[0]
        code = [f"  kassay check {shlex.quote(spec)}{' --known' * bool(defect)}"]
        if results.usual:
            code.append("  kassay check python:my_package.assignors:assign")
        text = "One of them, and your own:" if results.usual else "One of them:"
        yield Block(prose=True, text=text, code=code)
