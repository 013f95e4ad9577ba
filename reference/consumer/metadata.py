"""Give topics' partitions in ranges, by racks that members' and brokers' host names tell.

A member sends its host's name as user data, and topics come with the names of their replicas' brokers; the configuration's
``rack.from.host`` finds the rack in each. Then all is as with consumer/range (KIP-881). Racks that are stated count too;
where a name does not match, the rack is unknown. Known defects: those of consumer/range.

Source: the client-side assignment proposal, metadata-based assignment; KIP-881.
"""

from kassay.model import Assignment, Assignor, Group
from kassay.model.hosts import located
from kassay.reference.consumer import range as by_range


def assign(group: Group) -> Assignment:
    """Find the racks in the host names and assign as range does."""
    return by_range.assign(located(group))


METADATA = Assignor(
    "consumer/metadata",
    assign,
    by_range.RANGE.promises,
    "Client-side assignment proposal, metadata-based assignment; KIP-881",
    by_range.RANGE.except_in,
    limits=frozenset({"balanced", "locally_balanced"}),
)
