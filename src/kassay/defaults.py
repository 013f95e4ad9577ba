"""How many groups are generated where nobody says how many."""

CHECKED = 2000
"""By a check."""
COMPARED = 500
"""By a comparison."""
