"""What had to be assumed of groups that were read from listings, and what in groups is at odds, on standard error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kassay.files.reading import Read

MACHINE = ("json",)
"""Formats for programs, beside which people are told on standard error what was assumed; others may say it in its place."""


def warned(reads: "Sequence[Read]") -> "Sequence[Read]":
    """Print a line for each thing that was assumed or is at odds, and return the groups."""
    from kassay.files.reading import named
    from kassay.listings.import_groups import ORDERED
    from kassay.output.telling import tell

    for read in reads:
        for warning in read.warnings:
            if warning == ORDERED:  # it changes nothing that a reader could do otherwise
                continue
            tell(f"{named(read)}: {warning}")
    return reads
