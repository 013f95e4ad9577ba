"""Rows that contradict the header of their table, told from text that is no row."""

from collections.abc import Container
from dataclasses import dataclass

from kassay.kafka_tools.finding.tables import FORMS, Header, cut_cells, cut_words


@dataclass(frozen=True, slots=True)
class Fault:
    """A contradiction between a row and its header: the group of the row, the column and its value, None if the row ends before it."""

    group: str | None
    column: str
    value: str | None


def fault_of(header: Header, line: str, groups: Container[str], *, below: bool) -> Fault | None:
    """Find how a row contradicts the header, None if the line is other text.

    A row has two or more values of the form that its columns have, and at most one of another form. The name of a known group counts
    as such a value. A line with fewer words is a row only right `below` another row, or if it names a known group. A line with more
    words is a row only if it names a known group and three values have the form of their columns.
    """
    if header.prefix is not None and (before := header.prefix.match(line)):
        line = line[before.end() :]
    names = list(header.columns)
    words = cut_cells(header.separator, line) if header.separator else cut_words(header, names, line)
    if len(words) < 2:
        return None
    cells = dict(zip(names, words, strict=False))
    known = cells.get("GROUP") in groups
    right = sum(1 for name, value in cells.items() if name in FORMS and FORMS[name].fullmatch(value))
    wrong = [name for name, value in cells.items() if name in FORMS and not FORMS[name].fullmatch(value)]
    if len(words) > len(names) and not (known and right >= 3):
        return None
    if right == 0 or right + known < 2 or len(wrong) > 1 + known:
        return None
    group = cells.get("GROUP")
    if wrong:
        return Fault(group, wrong[0], cells[wrong[0]])
    if len(words) < len(names):
        if not below and not known:
            return None
        return Fault(group, names[len(words)], None)
    number = (
        "#PARTITIONS" if header.kind == "members" else "#MEMBERS" if header.kind == "state" else "PARTITION"
    )
    return Fault(group, number, cells.get(number, ""))
