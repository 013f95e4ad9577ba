"""Broken properties as the page shows them: what is broken, the smallest group, and pictures of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from markupsafe import Markup

from kassay.docstring import first_sentence
from kassay.engine.finding import Finding
from kassay.families import family
from kassay.reports.page.groups.smallest_groups import Smallest
from kassay.reports.shapes.picture import Picture
from kassay.reports.tables.properties import BROKEN, KNOWN_DEFECT, LIMIT, NO

DOES = {
    BROKEN: "breaks its promise",
    KNOWN_DEFECT: "has a known defect in",
    LIMIT: "has a limit in",
    NO: "does not keep",
}
"""What a target does to a property, by the outcome, in the order in which it is shown."""


@dataclass(frozen=True, slots=True)
class ShownBreach:
    """A broken property as the page shows it."""

    anchor: str
    target: str
    property: str
    does: str
    size: str
    meaning: str
    messages: Sequence[str]
    trouble: str
    pictures: Sequence[tuple[str, Markup]]
    file: str
    replay: str


def anchor(target: str, property_: str) -> str:
    """Name the place of a broken cell's smallest group on the page."""
    return f"b{sha256(f'{target} {property_}'.encode()).hexdigest()[:10]}"


def shown_breach(one: Smallest, picture: Picture, folder: Path, *, drawn: bool) -> ShownBreach:
    """Return a breach for the page, with pictures if it is drawn, and save its group as a finding in the folder."""
    finding, file, meaning, trouble = one.finding, "", "", one.trouble
    pictures: list[tuple[str, Markup]] = []
    if finding:
        file = f"groups/{finding.save(folder / 'groups').name}"
        meaning = (
            f"{one.property}: {first_sentence(family(finding.family).properties[one.property].__doc__)}."
        )
        if drawn and picture.shows(one.size):
            pictures = list(_pictures(one, finding, picture))
        elif drawn:
            trouble = trouble or "It is too large to be drawn."
    changes = f" after {one.step:,} change{'s' * (one.step > 1)}" if one.step else ""
    sizes = ", ".join(f"{name} {count:,}" for name, count in one.size.items())
    return ShownBreach(
        anchor(one.target, one.property), one.target, one.property, DOES[one.outcome],
        f"group {one.id:,}{changes}: {sizes}", meaning, finding.messages if finding else (), trouble, pictures, file,
        finding.replay(file) if finding else "",
    )  # fmt: skip


def _pictures(one: Smallest, finding: Finding, picture: Picture) -> Iterator[tuple[str, Markup]]:
    """Yield the pictures of a breach with their titles: two runs that contradict each other, or the answer and something better."""
    shown: list[tuple[str, Any, Any]] = []
    if one.runs:
        first, second = one.runs
        joined = picture.joined(second.group, first.assignment)
        shown = [(first.title, first.group, first.assignment), (second.title, joined, second.assignment)]
    elif finding.assignment is not None:
        shown = [(f"{one.target} gives", one.group, finding.assignment)]
    if one.better and not one.runs:
        shown.append((f"better: {one.better.name}", one.group, one.better.assignment))
    for title, group, assignment in shown:
        yield title, picture.html(title, group, assignment)
