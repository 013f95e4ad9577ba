"""The order in which client-side assignors walk through members: static members first.

Source: AbstractPartitionAssignor.MemberInfo (KIP-345).
"""

from collections.abc import Iterable

from kassay.model import Member
from kassay.reference.java import string_order


def in_order(members: Iterable[Member]) -> list[Member]:
    """Sort members: static ones by instance id, then dynamic ones by member id."""
    return sorted(members, key=_order)


def _order(member: Member) -> tuple[bool, str]:
    if member.instance_id is not None:
        return (False, string_order(member.instance_id))
    return (True, string_order(member.id))
