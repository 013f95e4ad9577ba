"""The page of one group: what it has now, what each target would do with it, the best possible, and what to change."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from kassay import __version__
from kassay.comparison.advice import Advice, Known
from kassay.comparison.knowing import best_of
from kassay.comparison.measured import Measured
from kassay.comparison.target_labels import target_labels
from kassay.family import Family
from kassay.files.writing import write_whole
from kassay.reports.page.groups.one_group import ANSWER, BEST, PRESENT, Drawing, drawings
from kassay.reports.page.groups.one_group import sentences as as_sentences
from kassay.reports.page.rendering import as_script, ours, rendered
from kassay.reports.shapes import picture_of

if TYPE_CHECKING:
    from kassay.files.reading import Read


def write_group_page(path: Path, read: "Read", known: Known, told: Advice, order: str) -> None:
    """Write the page into a file: what came out, and what to change.

    Raises InputError where the file cannot be written, OracleError where no optimum is proved.
    """
    family, group, row = known.family, read.value, known.answers
    names = [one.target for one in row]
    labels = target_labels(names)
    optima = family.oracles.optima(group) if family.oracles else None
    best = best_of(family, group)
    now, answers = known.now, [(labels[one.target], one) for one in row]
    picture = picture_of(family.shape)
    sizes = [(name, f"{count(group):,}") for name, count in family.shape.sizes.items()]
    as_given = " --order as-given" if order == "as-given" and family.leader_order else ""
    command = f"kassay compare {' '.join(map(quote, names))} --group {known.file}{as_given}"
    page = {
        "title": f"{read.where}: {told.headline}",
        "headline": told.headline,
        "change": told.says,
        "where": read.where,
        "meta": [
            ("kassay", __version__),
            ("family", ", ".join(dict.fromkeys(one.family for one in row))),
            *sizes,
            ("order", order),
        ],
        "assumed": read.warnings,
        "command": command,
        "ask": [f"kassay optimum {best.question} {known.file} --json"] if best is not None else [],
        "lead": picture.lead,
        "legend": picture.legend,
        "drawings": _in_order(list(drawings(family, group, now, answers, best, optima))),
        "why": as_sentences(best.words) if best is not None else "",
        "compared": f"{family.oracles.compared}." if family.oracles and family.oracles.compared else "",
        "measures": _measures(now, answers, family),
        "json": as_script(family.write_group(group)),
        "style": ours(picture.style),
        "foot": f"Made by kassay {__version__}. This page needs no network.",
    }
    write_whole(path, rendered("group", page))


def _in_order(drawn: list[Drawing]) -> list[Drawing]:
    """Put the best possible after the present, so that both stand beside each other however many answers follow."""
    return sorted(drawn, key=lambda one: [PRESENT, BEST, ANSWER].index(one.look)) if len(drawn) > 3 else drawn


def _measures(
    now: Measured | None, answers: Sequence[tuple[str, Measured]], family: Family
) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of a table of all measures."""
    known = [*([("now", now)] if now is not None else []), *answers]
    names = [*family.measures, *family.run_measures]
    rows = [
        [name, *(f"{one.measures[name]:,}" if name in one.measures else "-" for _, one in known)]
        for name in names
    ]
    return ["measure", *(label for label, _ in known)], rows
