"""Rows that contradict the header of their table, told from text that is no row."""

from collections.abc import Container
from dataclasses import dataclass

from kassay.kafka_tools.finding.tables import FORMS, Header, cut_cells, cut_words


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a line that looks like a row is none: its group where it names one, the column and its value, None if the row ends before it."""

    group: str | None
    column: str
    value: str | None


def fault_of(header: Header, line: str, groups: Container[str], *, below: bool) -> Fault | None:
    """Say how a line contradicts the header if it is meant as a row, None if it is other text.

    It is meant as one where two or more of its values look as those of their columns do and no more than one does not; that it names a
    group that is known counts as a value. A line of fewer words is one right `below` another row alone, or where it names such a group.
    """
    if header.prefix is not None and (before := header.prefix.match(line)):
        line = line[before.end() :]
    names = list(header.columns)
    words = cut_cells(header.separator, line) if header.separator else cut_words(header, names, line)
    if len(words) > len(names) or len(words) < 2:
        return None
    cells = dict(zip(names, words, strict=False))
    known = cells.get("GROUP") in groups
    right = sum(1 for name, value in cells.items() if name in FORMS and FORMS[name].fullmatch(value))
    wrong = [name for name, value in cells.items() if name in FORMS and not FORMS[name].fullmatch(value)]
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
