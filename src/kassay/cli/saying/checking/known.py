"""The known defects of targets, one row each, the worst first, with when they show in words that are explained once below."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from kassay.cli.saying.checking.headline import short
from kassay.engine.finding import Finding
from kassay.engine.verdict import Verdict
from kassay.families import family
from kassay.families.words import does, label, plainest_first, way_out, when, worst_first
from kassay.family import Family
from kassay.output import Block
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
