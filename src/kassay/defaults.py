"""Defaults of commands and of the API: the family, and how many groups are generated."""

import os
from pathlib import Path

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


def cache_folder() -> Path:
    """Return the folder for what is fetched or compiled: KASSAY_CACHE, else ``kassay`` in the user's cache folder."""
    chosen = os.environ.get("KASSAY_CACHE")
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(chosen) if chosen else Path(usual) / "kassay"
