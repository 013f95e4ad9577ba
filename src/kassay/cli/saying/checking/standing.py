"""What a check says beside what is broken: what holds, what is known, what is not promised, and what was not tried.

The known defects of targets, one row each, the worst first, with when they show in words that are explained once below.
"""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from kassay.cli.saying.checking.headline import Story, short, stories
from kassay.cli.saying.checking.results import Results
from kassay.cli.saying.checking.targets import explained
from kassay.comparison.headline import label_of
from kassay.comparison.knowing import releases
from kassay.engine.finding import Finding
from kassay.engine.unheld import Unheld
from kassay.engine.verdict import ERRORED, KEPT, KNOWN_DEFECT, LIMIT, NOT_PROMISED, Verdict
from kassay.families import family
from kassay.families.words import does, label, plainest_first, way_out, when, worst_first
from kassay.family import Family
from kassay.output import Block
from kassay.sentences import counted
from kassay.shape import TextTable


def known_rows(
    target: str,
    findings: Sequence[tuple[Finding, Path]],
    verdicts: Sequence[Verdict],
    targets: Sequence[str],
) -> Iterator[Block]:
    """Show each known defect of a target with its count, when it shows and a file; then each when with the way out of it."""
    own = [(one, path) for one, path in findings if one.target == target]
    order = worst_first({one.property for one, _ in own})
    rows, files = [], []
    met: dict[str, Family] = {}
    for name in order:
        same = [(one, path) for one, path in own if one.property == name]
        terms = plainest_first({term for one, _ in same for term in one.met})
        plain = terms[0]
        first, path = next(each for each in same if plain in each[0].met)
        verdict = next(v for v in verdicts if (v.target, v.property) == (target, name))
        more = f" +{len(terms) - 1}" if len(terms) > 1 else ""
        met |= dict.fromkeys(plain.split("+"), family(first.family))
        count = f"{verdict.breaches:,} of {verdict.judged:,}"
        rows.append([does(family(first.family), name), count, f"{label(plain)}{more}"])
        files.append([name, path.name])
    head = "known defect" if len(targets) == 1 else f"known defect of {short(target, targets)}"
    yield Block(prose=True, grid=TextTable([head, "groups", "when"], rows))
    said = [
        [
            label(term),
            f"{when(met[term], term)}{f' (way out: {way_out(term)})' if way_out(term) else ''}",
        ]
        for term in plainest_first(met)
    ]
    yield Block(prose=True, grid=TextTable(["", ""], said))
    folder = next((str(path.parent) for _, path in own), ".")
    yield Block(prose=True, text=f"The smallest group of each, in {folder}:", grid=TextTable(["", ""], files))
    shown = shlex.quote(f"{folder}/{files[0][1]}")
    yield Block(prose=True, text="One of them:", code=[f"  kassay explain {shown}"])


def rest(results: Results, broken: Sequence[Story], known: Sequence[Story]) -> Iterator[Block]:
    """Say of one target how many promises hold, which are limits, and the worst of the known defects."""
    of_each = {
        outcome: [v for v in results.verdicts if v.outcome == outcome]
        for outcome in (KEPT, KNOWN_DEFECT, LIMIT)
    }
    kept, defects, limits = (len(each) for each in of_each.values())
    unseen = sum(bool(v.except_in) for v in of_each[KEPT])
    if results.known and defects:
        yield from known_defects(results)
        return
    told = sum(v.outcome != NOT_PROMISED for v in results.verdicts)
    said = []
    if broken and kept:
        said.append(f"Else ok: {_promises(kept)} hold{'s' * (kept == 1)}.")
    elif not broken and told > 1 and (defects or limits or unseen):
        always = kept - unseen
        said.append(f"Of its {_promises(told)} {always} always hold{'s' * (always == 1)}.")
        if unseen:
            defect = "a known defect" if unseen == 1 else "known defects"
            said.append(f"{unseen} held here, with {defect} that none of these groups shows.")
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
    return f"The worst: it {known[0].does} ({counted(one.count, 'group')}{given}), as with {when(family(one.family), term)}.{out}"


def known_defects(results: Results) -> Iterator[Block]:
    """Show all known defects, target by target."""
    found = [one for one in results.findings if one[0].outcome == KNOWN_DEFECT]
    for target in dict.fromkeys(one.target for one, _ in found):
        yield from known_rows(target, found, results.verdicts, results.specs)


def not_promised(results: Results) -> Iterator[Block]:
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


def notes(results: Results) -> Iterator[Block]:
    """Say what was not tried, not proved or not asked."""
    said = []
    errored = {v.target for v in results.verdicts if v.outcome == ERRORED}
    for tally in results.tallies:
        said += [
            f"{label_of(tally.target)} declined {counted(number, 'group')}: {why}"
            for why, number in tally.declined.items()
        ]
        if not tally.groups and not tally.declined and tally.target not in errored:
            said.append(f"{label_of(tally.target)}: no group was tested.")
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
        said.append(explained(results.distances, results.verdicts))
    if said:
        yield Block(prose=True, text="\n".join(said))
    yield from _not_asked(results)


def _not_asked(results: Results) -> Iterator[Block]:
    """Say of targets that promise nothing what they were not asked: of each where one was tried, else of all together."""
    alone = len(results.specs) == 1
    if alone or len(results.unheld) == 1:
        yield from (_unheld(one, alone=alone) for one in results.unheld)
    elif results.unheld:
        yield _all_unheld(results.unheld)


def _all_unheld(several: Sequence[Unheld]) -> Block:
    """Say of targets that promise nothing what they were not asked, and how to ask for that, a line each."""
    names = ", ".join(label_of(one.target) for one in several)
    held = sorted({len(one.held) for one in several})
    every = f"{held[0]}" if len(held) == 1 else f"{held[0]} to {held[-1]}"
    said = f"{names} name no promises, so these are the {every} that every assignor must keep. For more, without allowing known defects:"
    code = [f"  kassay check {shlex.quote(one.target)} --promises-of {one.fits} --strict" for one in several]
    return Block(prose=True, text=said, code=code)


def _unheld(one: Unheld, *, alone: bool) -> Block:
    """Say of a target that promises nothing what it was not asked, and how to ask for that."""
    who = "It" if alone else label_of(one.target)
    said = f"{who} names no promises, so these are the {len(one.held)} that every assignor must keep."
    if one.broken:
        worst = worst_first(one.broken)[0]
        said += (
            f" Of {len(one.not_held)} more that Kafka's own make it breaks {len(one.broken)} on {counted(one.groups, 'group')}, "
            f"such as: {one.broken[worst]} ({worst})."
        )
    breaks = f", {len(one.breaks)} of which it breaks" if one.breaks else ""
    said += f" For the {one.promises} of {one.fits}, which fit it best{breaks}, without allowing it their known defects:"
    return Block(
        prose=True,
        text=said,
        code=[f"  kassay check {shlex.quote(one.target)} --promises-of {one.fits} --strict"],
    )
