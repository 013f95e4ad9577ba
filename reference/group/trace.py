"""What happened in a group, as anybody reads it: who told whom what, and when."""

from msgspec import Struct


class Entry(Struct, frozen=True):
    """One line of a timeline and one arrow or remark of a sequence diagram.

    `time_ms` counts from the beginning of the run. `target` is the source itself where something happened at one place.
    `label` says what was told or done, `note` what became of it there, such as a state; either may be empty.
    """

    time_ms: int
    source: str
    target: str
    label: str
    note: str = ""


Trace = tuple[Entry, ...]
"""The entries of one run, in the order in which they happened."""
