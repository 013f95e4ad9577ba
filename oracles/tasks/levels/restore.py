"""The fewest tasks with state that are active where they are not caught up."""

from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels.level import HolderCosts, Level
from kassay.properties.tasks.measures import not_caught_up

RESTORE = Level(
    words=LevelWords(
        name="restore", short="restore", one="task to restore", many="tasks to restore", counts="restoring", passing=True,
        asked="little to restore", missed="needless tasks to restore", column="restore", heading="needless\nrestoring",
        worse="restores more", measure="not_caught_up",
    ),
    least="The fewest tasks active where they have to be restored first",
    what="tasks active where they have to be restored first",
    best="the least to restore",
    measure=not_caught_up,
    held=HolderCosts(
        "ready",
        lambda of, _standbys: of.ready is not None,
        lambda of, client: of.ready is not None and client in of.ready,
    ),
)  # fmt: skip
