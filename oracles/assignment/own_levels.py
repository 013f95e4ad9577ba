"""The names of the levels that are no sums of costs, and that the core knows of its own: every other level is data."""

BALANCE = "balance"
"""The weighed squares of the members' loads; of those of active copies where items have roles."""
TOTAL_BALANCE = "total-balance"
"""The weighed squares of the members' loads of copies in all roles."""
SPREAD = "spread"
"""The copies of an item in a zone beyond the first there."""
