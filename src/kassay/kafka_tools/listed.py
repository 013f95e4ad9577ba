"""Groups from listings of Kafka's tools as a leader's assignor receives them, with all that had to be assumed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kassay.errors import InputError
from kassay.families import family
from kassay.kafka_tools import Listing, ListingError, read_listings

ORDERED = "members in the order in which a live leader receives them; --order as-given: as listed"
"""What is said where a group's order is changed."""


def read_listed(files: Sequence[tuple[str, str]], *, leader: bool, **details: Any) -> list[Listing]:
    """Read groups as :func:`kassay.kafka_tools.read_listings` does, in the order of the leader where asked.

    Raises InputError where something cannot be read.
    """
    try:
        listings = read_listings(files, **details)
    except ListingError as wrong:
        raise InputError(str(wrong)) from None
    return [_led(one) for one in listings] if leader else listings


def _led(one: Listing) -> Listing:
    in_order = family("consumer").leader_order
    assert in_order is not None, "members of consumer groups come to a leader in an order of their own"
    group = in_order(one.group)
    return one if group == one.group else replace(one, group=group, warnings=(*one.warnings, ORDERED))
