"""The page of one group: what it has now, what each target would do with it, the best possible, and what to change."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kassay import __version__
from kassay.comparison.measured import Measured, present
from kassay.comparison.target_labels import listed, target_labels
from kassay.family import Family
from kassay.files.writing import write_whole
from kassay.reports.page.groups.one_group import ANSWER, BEST, PRESENT, Drawing, drawings, missed, ungraded
from kassay.reports.page.groups.one_group import sentences as as_sentences
from kassay.reports.page.rendering import as_script, ours, rendered
from kassay.reports.shapes import picture_of

if TYPE_CHECKING:
    from kassay.files.reading import Read

TWO, NAMED = 2, 3
"""A sentence names no more targets than this."""


def write_group_page(
    path: Path, read: "Read", row: Sequence[Measured], family: Family, order: str
) -> list[str]:
    """Write the page into a file and return its sentences: what came out, and what to change.

    Raises InputError where the file cannot be written, OracleError where no optimum is proved.
    """
    group, names = read.value, [one.target for one in row]
    known = target_labels(names)
    optima = family.oracles.optima(group) if family.oracles else None
    best = family.oracles.optimum(",".join(family.oracles.levels), group, None) if family.oracles else None
    now, answers = present(family, group, optima), [(known[one.target], one) for one in row]
    picture = picture_of(family.shape)
    sentences = [headline(answers), change(now, row, family)]
    sizes = [(name, f"{count(group):,}") for name, count in family.shape.sizes.items()]
    command = f"kassay compare {' '.join(names)} --group group.json{' --order as-given' if order == 'as-given' else ''}"
    page = {
        "title": f"{read.where}: {sentences[0]}",
        "headline": sentences[0],
        "change": sentences[1],
        "where": read.where,
        "meta": [
            ("kassay", __version__),
            ("family", ", ".join(dict.fromkeys(one.family for one in row))),
            *sizes,
            ("order", order),
        ],
        "assumed": read.warnings,
        "command": command,
        "ask": [f"kassay optimum {best.question} group.json --json"] if best is not None else [],
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
    return sentences


def headline(answers: Sequence[tuple[str, Measured]]) -> str:
    """Say who reaches the best possible and who misses it in what; where nobody does, who comes nearest."""
    reach = [label for label, one in answers if one.gaps and not missed(one)]
    rest = [(label, one) for label, one in answers if label not in reach]
    none = "Neither assignor" if len(rest) == TWO else f"None of the {len(rest)} assignors"
    if len(rest) > 1 and not any(one.legal for _, one in answers):
        return f"{none} gives a complete and legal answer."
    if not any(one.gaps for _, one in answers):  # no optimum is known
        told = [
            f"{label} gives {'a' if one.legal else 'no'} complete and legal answer"
            for label, one in rest[:NAMED]
        ]
        more = len(rest) - NAMED
        return f"{'; '.join(told)}{f'; the measures of {more} more stand below' if more > 0 else ''}."
    if not reach and len(rest) > 1 and (legal := [(label, one) for label, one in rest if one.gaps]):
        least = min(_distance(one) for _, one in legal)
        near = [label for label, one in legal if _distance(one) == least]
        best = next(one for label, one in legal if label == near[0])
        comes = "comes" if len(near) == 1 else "come"
        return f"{none} reaches the best possible; {_few(near)} {comes} nearest: {listed(missed(best))}."
    told = [f"{_few(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best possible"] if reach else []
    what = "it" if reach else "the best possible"
    told += [
        f"{label} {f'misses {what}: {listed(missed(one))}' if one.gaps else f'gives {ungraded(one)}'}"
        for label, one in rest[:NAMED]
    ]
    more = len(rest) - NAMED
    if more > 0:
        told.append(f"{more} more {'does' if more == 1 else 'do'} not reach it")
    return f"{'; '.join(told)}."


def change(now: Measured | None, row: Sequence[Measured], family: Family) -> str:
    """Say in a sentence or two what to change: nothing, or which assignor to use and how it is set up."""
    above = {gap.level for gap in now.gaps if gap.over > 0} if now is not None else set()
    if now is not None and now.gaps and not above - set(family.timeline_measures):
        return "Nothing needs to change now: what the group has is as good as can be."
    legal = [one for one in row if one.gaps]
    if not legal and any(one.legal for one in row):
        return "None of these answers is compared with an optimum: compare the measures."
    if not legal and len(row) == 1:
        return "This assignor gives no complete and legal answer to this group: use another one."
    if not legal:
        return "None of these assignors gives a complete and legal answer to this group: use another one."
    best = min(legal, key=_distance)  # the first of equals
    if len(row) == 1 and missed(best):
        return f"Compare more assignors on this group, such as '{family.name}/*': the only one compared misses the best possible."
    nearest = (
        f"{best.target} comes nearest to the best possible"
        if missed(best)
        else f"{best.target} gives the best possible"
    )
    return f"{nearest}. {family.advice(best.target)}".strip()


def _distance(one: Measured) -> list[int]:
    """Return how far an answer is from the best possible, what is compared first first."""
    return [max(0, gap.over) for gap in one.gaps]


def _few(names: Sequence[str]) -> str:
    return listed(names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"])


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
