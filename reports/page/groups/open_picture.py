"""The picture that the page shows open: one group now, with an assignor's answer, and with the best possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kassay.comparison.headline import others
from kassay.family import Family
from kassay.reports.page.groups.one_group import ANSWER, BEST, PRESENT, Drawing, drawings, sentences
from kassay.reports.page.groups.smallest_groups import Smallest
from kassay.reports.page.groups.telling_group import Told
from kassay.reports.page.rendering import as_script
from kassay.reports.shapes import picture_of


@dataclass(frozen=True, slots=True)
class OpenPicture:
    """A title, what is shown and by which rule it was chosen, the drawings, why nothing is better, what others do, and the group."""

    title: str
    says: str
    drawings: Sequence[Drawing] = ()
    why: str = ""
    others: str = ""
    command: str = ""
    json: Markup | str = ""


def open_picture(
    told: Told | str, found: Sequence[Smallest], family: Family, known: Mapping[str, str]
) -> OpenPicture:
    """Show the telling group; where there is none, the smallest group that breaks a property, or say why nothing is drawn."""
    if isinstance(told, Told):
        return _telling(told, family, known)
    for one in found:
        if one.finding is not None and (one.finding.assignment is not None or one.better is not None):
            return _breach(one, told, family, known)
    return OpenPicture("One group", told)


def _telling(told: Told, family: Family, known: Mapping[str, str]) -> OpenPicture:
    answers = [(known[one.target], one) for one in told.answers]
    own = [(label, one) for label, one in answers if one.target == told.target]
    shown = list(drawings(family, told.group, told.now, own, told.best, told.optima))
    first = "now, " if told.now is not None else ""
    return OpenPicture(
        f"One group: {first}what {known[told.target]} does, the best possible",
        f"{told.rule} {picture_of(family.shape).lead}",
        shown,
        sentences(told.best.words),
        others(answers),
        f"kassay compare {' '.join(known)} --group group.json"
        if len(known) <= 6
        else f"kassay compare {told.target} --group group.json",
        as_script(family.write_group(told.group)),
    )


def _breach(one: Smallest, why_not: str, family: Family, known: Mapping[str, str]) -> OpenPicture:
    assert one.finding is not None
    html = picture_of(family.shape).html
    label = known[one.target]
    shown = []
    present = family.shape.present(one.group)
    if present is not None:
        shown.append(Drawing(PRESENT, "Now", html("now", one.group, present), ()))
    if one.finding.assignment is not None:
        shown.append(
            Drawing(
                ANSWER,
                label,
                html(label, one.group, one.finding.assignment),
                (),
                " ".join(one.finding.messages),
            )
        )
    if one.better is not None:
        shown.append(
            Drawing(BEST, f"Better: {one.better.name}", html("better", one.group, one.better.assignment), ())
        )
    sizes = ", ".join(f"{name} {count:,}" for name, count in one.size.items())
    return OpenPicture(
        f"One group on which {label} does not keep {one.property}",
        f"{why_not} So this is the smallest group of the run that shows a broken property: {sizes}. {picture_of(family.shape).lead}",
        shown,
        command=f"kassay check {one.target} --property {one.property} --group group.json",
        json=as_script(family.write_group(one.group)),
    )
