"""What is meant where nobody says: the family, and how many groups are generated."""

FAMILY = "consumer"
"""The family of functions and of groups that state none."""
CHECKED = 2000
"""By a check."""
COMPARED = 500
"""By a comparison."""
