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
from kassay.comparison.group_facts import describe_releases, find_severe_defects
from kassay.comparison.headline import label_target
from kassay.engine.check import Unheld
from kassay.engine.failures import find_outcome
from kassay.engine.verdict import Tally, Verdict, exit_status, is_failure
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import Family
from kassay.families.names import within
from kassay.families.shape import TextTable
from kassay.families.words import does, label, plainest_first, way_out, when, worst_first
from kassay.files.settings import OWN, SHARED
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
    OUTCOMES,
    PASSES,
    SKIPPED,
    json_line,
)
from kassay.playground.link import link
from kassay.sentences import end_sentence, format_count, join_names, lower_first
from kassay.targets.source import find_source

STORIES = 3
"""The number of broken promises of one target that are shown with their group. Of several targets one is shown; the others are rows."""


def render_check(results: Results) -> Iterator[Block]:
    """Yield the result, the broken promises with their smallest groups, the distances, caveats, and the next commands."""
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
            yield Block(prose=True, text=explain_columns(results))
    yield from _render_broken(results, broken)
    if results.known:
        yield from render_known_defects(results)
    if alone:
        yield from render_kept(results, known)
    yield from render_not_promised(results)
    if alone and any(one.compared or one.unproved for one in results.distances):
        yield Block(prose=True, grid=render_distances(results.distances), fold="Distance to the optimum")
    if results.everything and any(tally.dimensions for tally in results.tallies):
        yield Block(prose=True, grid=render_dimensions(results.tallies, results.specs))
    yield from describe_baseline(results)
    yield from describe_replays(results)
    caveats = [*_describe_untested(results, says, alone=alone), *_describe_scope(results)]
    yield Block(caveats=[*caveats, *_describe_undeclared(results.unheld, alone=alone)])
    unsaved = results.unsaved and broken
    if unsaved:
        first = broken[0].first
        group = json_line(family(first.family).write_group(first.group))
        yield Block(prose=True, text="The finding could not be saved. Its group:", code=[f"  {group}"])
    yield Block(
        commands=() if unsaved else [*_find_next_commands(results, broken, known)],
        status=describe_exit_status(results) if results.unwritable is None else "",
    )


def _build_records(results: Results) -> Iterator[dict[str, object]]:
    """Yield the JSON of severe defects, verdicts, distances, findings, tallies and untested promises."""

    def find_file(path: Path) -> dict[str, object]:
        return {} if results.unsaved else {"file": str(path)}

    paths = {id(finding): path for finding, path in results.findings}
    for grave in find_severe_defects([finding for finding, _ in results.findings]):
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
            **({"dimensions": {name: asdict(one) for name, one in tally.dimensions.items()}} if tally.dimensions else {}),
            **({} if tally.rebalances is None else {"rebalances": tally.rebalances}),
            **({"unplayed": tally.unplayed} if tally.unplayed else {}),
        }  # fmt: skip
    yield from ({"record": "unheld", **asdict(one)} for one in results.unheld)


def _build_case(results: Results, verdict: Verdict) -> JUnitCase:
    """Return the JUnit case of a verdict; a broken promise has the sentence of the headline, then the message."""
    own = results.find_of(verdict)
    found = group_findings(one for one in own if one[0].outcome == verdict.outcome)
    message = verdict.message
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT}:
        message = f"{message} ({describe_frequency(verdict)})"
        if found:
            first = found[0].first
            short = short_names(family(first.family), first.group, first.runs)
            message = f"{describe_breach(found[0], results.verdicts)}: {within(verdict.message, short)}"
    elif verdict.outcome == ERRORED and verdict.judged:
        message = f"no conclusion: kept on {format_count(verdict.judged, 'group')}, then the target stopped: {message}"
    strictly = verdict.outcome == KNOWN_DEFECT and is_failure(verdict.outcome, strict=results.strict)
    body = [line for one, path in own for line in (*describe_finding(one), *render_as_code(one, path), "")]
    outcome = BROKEN if strictly else verdict.outcome
    at = find_source(verdict.target, str(Path.cwd()), (OWN, SHARED))
    return JUnitCase(verdict.target, verdict.property, outcome, message, "\n".join(body).strip(), at)


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
        yield Block(prose=True, grid=TextTable(["also broken", "groups", "finding"], more))
    quiet = [
        f"{shorten_target(v.target, results.specs)}: {v.property}: {v.message}."
        for v in results.verdicts
        if v.outcome == BROKEN and not results.find_of(v)
    ]
    if quiet:
        yield Block(prose=True, text="\n".join(quiet))


def _describe_story(story: Story) -> Iterator[str]:
    """Yield the messages, the situation in which this is a known defect, the failing code, and the promises."""
    one = story.first
    of = family(one.family)
    yield from map(end_sentence, shorten_messages(one))
    if one.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(one.seen_in))
        yield f"All these groups have {plain}, a known defect. The smallest group breaks the promise without it."
    yield from (f"  {frame}" for frame in one.stack.splitlines()[:FRAMES])
    for each in story.findings:
        asks = (
            describe_property(of, each.property)
            if each.property in of.properties
            else "Both answers are equal"
        )
        yield f'Promise "{each.property}": {lower_first(asks)}.'


def _describe_untested(results: Results, says: str, *, alone: bool) -> Iterator[str]:
    """Yield the reasons why promises of each target were not tested."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for v in results.verdicts:
        if v.outcome in {ERRORED, SKIPPED}:
            reasons.setdefault((v.target, v.message), []).append(v.property)
    if (
        alone
        and len(reasons) == 1
        and not any(v.judged for v in results.verdicts)
        and "could not be tested" in says
    ):
        return  # The headline has the reason.
    for (target, why), names in reasons.items():
        own = [v.judged for v in results.verdicts if v.target == target and v.property in names]
        judged = max(own, default=0)
        after = f" (kept on {format_count(judged, 'group')} before that)" if judged else ""
        what = names[0] if len(names) == 1 else f"{len(names)} promises"
        whose = "" if alone else f" of {shorten_target(target, results.specs)}"
        yield end_sentence(f"Not tested{after}: {what}{whose}: {why}")


def render_kept(results: Results, known: Sequence[Story]) -> Iterator[Block]:
    """Yield the number of promises of one target by outcome, its design limits, and the worst known defect."""
    of = {outcome: [v for v in results.verdicts if v.outcome == outcome] for outcome in OUTCOMES}
    told = [v for v in results.verdicts if v.outcome != NOT_PROMISED]
    defects, limited = of[KNOWN_DEFECT], of[LIMIT]
    tested = [v for v in told if v.outcome not in {ERRORED, SKIPPED}]
    if (len(told) < 2 and not defects) or not tested:
        return
    unseen = sum(bool(v.except_in) for v in of[KEPT])
    counts = {
        "hold": len(of[KEPT]) - unseen, "known defect not seen here": unseen, "known defect": len(defects),
        "design limit": len(limited), "in the baseline": len(of[BASELINE]), "broken": len(of[BROKEN]),
        "not tested": len(of[ERRORED]) + len(of[SKIPPED]), "not broken any more": len(of[PASSES]),
    }  # fmt: skip
    said = ", ".join(f"{name}: {count}" for name, count in counts.items() if count)
    rows = [["promises", f"{len(told)} ({said})"]]
    if limited:
        names = (does(family(results.find_of(v)[0][0].family), v.property) for v in limited)
        rows.append([f"design limit{'s' * (len(limited) > 1)}", f"it {', '.join(names)}"])
    if known and not results.known:
        first = known[0].first
        term = plainest_first(first.met)[0]
        given = f", such as the input group {first.given}" if first.given else ""
        out = f". Workaround: {way_out(term)}" if way_out(term) else ""
        release = describe_releases(results.verdicts[0].target)
        also = f", also in Kafka {release}" if release else ""
        worst = f"it {known[0].does} ({format_count(first.count, 'group')}{given}{also})"
        rows.append(
            ["worst known defect", f"{worst}. Happens when there is {when(family(first.family), term)}{out}."]
        )
    fold = (
        f"{format_count(len(of[KEPT]), 'promise')} hold, {len(defects)} with known defects" if defects else ""
    )
    yield Block(prose=True, grid=TextTable(["", ""], rows), fold=fold)


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
            out = f" (workaround: {way_out(term)})" if way_out(term) else ""
            situations.append([label(term), f"{when(met[term], term)}{out}"])
        yield Block(prose=True, grid=TextTable(["", ""], situations))
        text = f"The smallest group of each, in {own[0][1].parent}:"
        yield Block(prose=True, text=text, grid=TextTable(["", ""], files))


def render_not_promised(results: Results) -> Iterator[Block]:
    """Yield a row for each broken property that is not promised, and the names of those that no group breaks."""
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
        yield Block(prose=True, grid=TextTable(["broken, but not promised", "property", "finding"], rows))
    for target in dict.fromkeys(verdict.target for verdict in results.verdicts):
        kept = [
            verdict.property
            for verdict in results.verdicts
            if verdict.target == target
            and verdict.outcome == NOT_PROMISED
            and verdict.judged
            and not verdict.message
        ]
        who = f"{shorten_target(target, results.specs)}: " * several
        if kept:
            yield Block(
                prose=True, text=f"{who}Not promised, and broken in no tested group: {', '.join(kept)}."
            )


def render_dimensions(tallies: Sequence[Tally], specs: Sequence[str]) -> TextTable:
    """Return for each dimension the number of large groups that were tested, and its greatest number."""
    several = len(specs) > 1
    rows = [
        [
            f"{shorten_target(tally.target, specs)}: " * several + name,
            f"{one.least:,}",
            f"{one.groups:,}",
            f"{one.most:,}",
        ]
        for tally in tallies
        for name, one in tally.dimensions.items()
    ]
    return TextTable(["large groups by dimension", "large from", "groups", "greatest"], rows)


def describe_baseline(results: Results) -> Iterator[Block]:
    """Yield the state of each finding of the baseline: unchanged, fixed or not tested."""
    number = format_count(len(results.baseline), "finding")
    if results.written:
        yield Block(prose=True, text=f"{results.written}: {number} written, for --baseline.")
    if results.written or not results.baseline:
        return
    file = results.baseline[0].file
    passing, grown = results.find_fixed(), results.find_more_frequent()
    untested = sum(find_outcome(one, results.tallies) is None for one in results.baseline)
    more = sum((one.target, one.promise) in grown for one in results.baseline)
    counts = {
        "unchanged": len(results.baseline) - len(passing) - untested - more,
        "of promises that are broken more often": more,
        "fixed": len(passing),
        "not tested": untested,
    }
    said = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    text = f"Baseline {file}: {number}, {said}."
    of = {(one.target, one.property): one for one in results.verdicts}
    before = {(one.target, one.promise): one for one in results.baseline if one.checked}
    shares = [
        [
            shorten_target(target, results.specs), promise, f"{one.broken:,} of {one.checked:,}",
            f"{of[target, promise].breaches:,} of {of[target, promise].judged:,}",
        ]
        for (target, promise), one in before.items()
        if (target, promise) in of
    ]  # fmt: skip
    if shares:
        yield Block(prose=True, grid=TextTable(["broken promise", "", "baseline", "now"], shares))
    if not passing:
        yield Block(prose=True, text=text)
        return
    rows = [[shorten_target(one.target, results.specs), one.promise, one.says] for one in passing]
    yield Block(
        prose=True, text=f"{text} To remove fixed findings, add --write-baseline {shlex.quote(file)}.",
        grid=TextTable(["fixed", "promise", "before"], rows),
        records=[{"record": "passes", "target": one.target, "property": one.promise, "group": one.group} for one in passing],
    )  # fmt: skip


def describe_replays(results: Results) -> Iterator[Block]:
    """Yield how many failures of the last run still fail, are fixed, or are not broken promises any more."""
    found = [(one, outcome) for one in results.before if (outcome := find_outcome(one, results.tallies))]
    if not found:
        return
    several = len(results.specs) > 1
    fixed = [
        f"{f'{shorten_target(one.target, results.specs)}: ' * several}{one.promise}"
        for one, outcome in found
        if outcome == KEPT
    ]
    still = sum(outcome == BROKEN for _, outcome in found)
    said = [f"{still} still fail{'s' * (still == 1)}"] * bool(still)
    said += [f"{len(fixed)} fixed ({', '.join(dict.fromkeys(fixed))})"] * bool(fixed)
    other = len(found) - still - len(fixed)
    said += [f"{other} not promised or known now"] * bool(other)
    records = [
        {"record": "replayed", "target": one.target, "property": one.promise, "outcome": outcome, "group": one.group}
        for one, outcome in found
    ]  # fmt: skip
    text = f"Replayed {format_count(len(found), 'failure')} of the last run: {', '.join(said)}."
    yield Block(prose=True, text=text, records=records)


def _describe_scope(results: Results) -> Iterator[str]:
    """Yield the groups that were skipped or sampled, and those without a proven optimum."""
    errored = {v.target for v in results.verdicts if v.outcome == ERRORED}
    for tally in results.tallies:
        who = label_target(tally.target)
        for why, number in tally.declined.items():
            yield end_sentence(f"{who} skipped {format_count(number, 'group')}: {why}")
        if not tally.groups and not tally.declined and tally.target not in errored:
            yield f"{who}: no group was tested."
        if tally.sampled is not None:
            yield (
                f"{who}: properties of several runs were tested on a sample of {format_count(tally.sampled, 'group')}. "
                f"To test all, add --examples {tally.groups}."
            )
        yield from _describe_instances(tally)
    measured = {one.target: one for one in results.distances}
    for target, one in measured.items():
        if one.sampled:
            groups = f"{one.groups:,} of {format_count(one.tried, 'group')}"
            yield f"{label_target(target)}: the distance to the optimum was measured on a sample, {groups}."
        if one.unproved:
            left_out = (
                f"{format_count(one.unproved, 'group')} {'is' if one.unproved == 1 else 'are'} left out"
            )
            yield end_sentence(
                f"{label_target(target)}: {left_out} of the distances. The optimum is not proven: {one.unproved_why}"
            )
    if len(results.specs) > 1 and results.distances:
        yield "Groups are generated to find defects. The percentages are not frequencies in production."


def _describe_instances(tally: Tally) -> Iterator[str]:
    """Yield why long-lived instances were not tested, or not to the end."""
    who = label_target(tally.target)
    if tally.rebalances == 0 and tally.groups:
        why = tally.unplayed or "the check is too short. To test it, leave out --examples"
        yield end_sentence(f"{who}: the memory of earlier rebalances was not tested: {why}")
    elif tally.unplayed:
        yield end_sentence(f"{who}: the test of long-lived instances ended early: {tally.unplayed}")


def _describe_undeclared(unheld: Sequence[Unheld], *, alone: bool) -> Iterator[str]:
    """Yield which promises were tested of targets that declare none, and how many more such assignors make."""
    if not unheld:
        return
    names = join_names([label_target(one.target) for one in unheld])
    sizes = sorted({len(one.held) for one in unheld})
    every = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    said = f"{names} declare{'s' * (len(unheld) == 1)} no promises. kassay tested the {every} that every assignor must keep."
    for one in unheld if alone else ():
        said += f" Kafka's own assignors make {len(one.not_held)} more"
        if one.broken:
            worst = worst_first(one.broken)[0]
            said += f"; {names} breaks {len(one.broken)} of them in {format_count(one.groups, 'group')}, such as {worst}: {one.broken[worst]}"
        said += f". {one.fits} fits best: {len(one.breaks)} of its {one.promises} promises are broken."
    yield said


def _find_next_commands(
    results: Results, broken: Sequence[Story], known: Sequence[Story]
) -> Iterator[tuple[str, str]]:
    """Yield the commands to run next, each with its purpose."""
    alone = len(results.specs) == 1
    if broken:
        first = broken[0].first
        yield first.replay(shlex.quote(str(broken[0].path))), "(--as pytest prints a test)"
        if play := link(family(first.family).write_group(first.group), first.target):
            yield play, ""
    elif results.known and known:
        yield f"kassay explain {shlex.quote(str(known[0].path))}", ""
    elif alone and known:
        yield f"kassay check {shlex.quote(results.specs[0])} --known", "all known defects"
    elif alone and results.specs[0] in ASSIGNORS:
        yield f"kassay list {shlex.quote(results.specs[0])}", "its promises and setting"
    elif not alone:
        defect = next((v.target for v in results.verdicts if v.outcome == KNOWN_DEFECT), "")
        spec = defect if defect in results.specs else results.specs[0]
        yield f"kassay check {shlex.quote(spec)}{' --known' * bool(defect)}", "one of them"
        if results.usual:
            yield "kassay check python:my_package.assignors:assign", "your own"
    for one in results.unheld:
        yield f"kassay check {shlex.quote(one.target)} --promises-of {one.fits} --strict", ""
