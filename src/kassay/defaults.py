"""What is meant where nobody says: the family, and how many groups are generated."""

FAMILY = "consumer"
"""The family of functions and of groups that state none."""
CHECKED = 2000
"""By a check."""
COMPARED = 500
"""By a comparison."""
STATE = ".kassay"
"""The folder of a project in which kassay keeps what it needs from run to run; git ignores it."""
REPLAY = "KASSAY_REPLAY"
"""The variable of the environment that, set to 0, turns replays off for all runs."""
