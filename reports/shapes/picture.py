"""How a report shows a group with an assignment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a shape: for the page as HTML, for papers as a drawing; both of a title, a group and an assignment.

    `lead` says how to read it; `legend` lists a class of the style sheet, a sign and what they mean; `style` is that style
    sheet. `most` are the greatest sizes that can still be read.
    """

    html: Callable[[str, Any, Any], Markup]
    most: Mapping[str, int]
    draw: "Callable[[str, Any, Any], Axes] | None" = None
    lead: str = ""
    legend: Sequence[tuple[str, str, str]] = ()
    style: str = ""
    joined: Callable[[Any, Any], Any] = field(default=lambda group, _: group)
    """The group of a second run, as it joins with what the first run gave: so the picture shows what changed."""

    def shows(self, size: Mapping[str, int]) -> bool:
        """Say whether a picture of a group of this size can be read."""
        return all(size[name] <= most for name, most in self.most.items())


def style_of(name: str) -> str:
    """Return the style sheet of a shape's pictures: what all pictures share, then what stands in a file of its own."""
    return "".join(
        (Path(__file__).parent / f"{each}.css").read_text(encoding="utf-8") for each in ("picture", name)
    )
