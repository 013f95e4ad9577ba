"""The fewest partitions read across racks (KIP-925): by active tasks from their inputs, by standbys from their changelogs, or by both."""

from dataclasses import replace

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels.level import Level
from kassay.properties.tasks.measures import cross_rack, cross_rack_standby


def every(application: Application, answer: TaskAssignment) -> int:
    """Add up what active tasks and standbys read across racks."""
    return cross_rack(application, answer) + cross_rack_standby(application, answer)


ACTIVE = Level(
    words=LevelWords(
        name="active", short="racks", one="read across racks", many="reads across racks", by="by active tasks", counts="reading",
        asked="near", missed="needless reads across racks by active tasks", column="reads", heading="needless reads\nacross racks",
        worse="reads more across racks", measure="cross_rack",
    ),
    least="The fewest partitions that active tasks read across racks",
    what="partitions that active tasks read across racks",
    best="the least traffic of active tasks",
    measure=cross_rack,
    reads=(True, False),
    about="racks",
    compared=True,
)  # fmt: skip
STANDBY = Level(
    words=replace(
        ACTIVE.words, name="standby", by="by standbys", asked="standbys near", missed="needless reads across racks by standbys",
        column="reads by standbys", heading="needless reads\nby standbys", worse="reads more across racks with standbys",
        measure="cross_rack_standby",
    ),
    least="The fewest partitions that standbys read across racks",
    what="partitions that standbys read across racks",
    best="the least traffic of standbys",
    measure=cross_rack_standby,
    reads=(False, True),
    about="racks",
)  # fmt: skip
JOINT = Level(
    words=replace(
        ACTIVE.words, name="joint", by="", missed="needless reads across racks", column="all reads", measure="",
    ),
    least="The fewest partitions that active tasks and standbys read across racks",
    what="partitions that active tasks and standbys read across racks",
    best="the least traffic",
    measure=every,
    reads=(True, True),
    about="racks",
    compared=True,
    traded=True,
)  # fmt: skip
