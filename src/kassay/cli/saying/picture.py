"""The picture of a finding: the smallest group with what it was given, or two runs that contradict each other, with arrows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.families.names import cut, within
from kassay.family import Family
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
    drawn = with_short_names(grid, short_names(of, group, runs))
    rows = [[*row, *[ARROW if here else ""] * pointed] for row, here in zip(drawn.rows, named, strict=True)]
    return TextTable([*grid.columns, *[""] * pointed], rows, grid.note)


def short_names(of: Family, group: Any, runs: Sequence[Run] = ()) -> Mapping[str, str]:
    """Return what the names in a group, and in runs with it, can be cut to in sentences and pictures: long ones, to what tells them apart.

    Names of one kind are cut together, such as those of members, and of topics; JSON has them whole.
    """
    kinds: dict[str, dict[str, None]] = {}
    for each in (group, *(run.group for run in runs)):
        for kind, names in _named(of.write_group(each)):
            kinds.setdefault(kind, {}).update(dict.fromkeys(names))
    return {
        name: short
        for names in kinds.values()
        if any(len(name) > LONG for name in names)
        for name, short in cut(names).items()
    }


def with_short_names(grid: TextTable, short: Mapping[str, str]) -> TextTable:
    """Cut the names in a table of a group's."""
    rows = [[within(cell, short) for cell in row] for row in grid.rows] if short else grid.rows
    return TextTable(grid.columns, rows, grid.note)


def _named(group: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of what a group's JSON lists, with the names."""
    for kind, listed in group.items():
        if isinstance(listed, list):
            of_kind = [one for one in listed if isinstance(one, dict)]
            for key in ("id", "name", "process_id"):
                yield f"{kind} {key}", [one[key] for one in of_kind if isinstance(one.get(key), str)]


def _names(message: str, owner: str) -> bool:
    return bool(re.search(rf"(?<![\w~-]){re.escape(owner)}(?![\w-])", message))
