"""The picture of a finding: the smallest group with what it was given, or two runs that contradict each other, with arrows."""

import re
from collections.abc import Sequence
from typing import Any

from kassay.family import Family
from kassay.output.names import cut
from kassay.properties.runs import Run
from kassay.shape import TextTable

LONG = 20
"""Names of more characters are cut to what tells them apart."""
ARROW = "<-"


def picture(of: Family, group: Any, answer: Any, runs: Sequence[Run], messages: Sequence[str]) -> TextTable:
    """Draw a finding, with an arrow at each owner that the first message names; without an answer the group alone."""
    if runs and of.shape.show_change:
        grid = of.shape.show_change(*runs)
    else:
        grid = of.shape.show(group, {} if answer is None else {"is given": answer})
    named = [_names(messages[0], row[0]) if messages else False for row in grid.rows]
    pointed = answer is not None and any(named) and not all(named)
    owners = [row[0] for row in grid.rows]
    short = cut(owners) if any(len(owner) > LONG for owner in owners) else {owner: owner for owner in owners}
    rows = [
        [short[row[0]], *row[1:], *[ARROW if here else ""] * pointed]
        for row, here in zip(grid.rows, named, strict=True)
    ]
    return TextTable([*grid.columns, *[""] * pointed], rows, grid.note)


def _names(message: str, owner: str) -> bool:
    return bool(re.search(rf"(?<![\w~-]){re.escape(owner)}(?![\w-])", message))
