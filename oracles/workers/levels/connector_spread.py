"""The most even spread of each connector's tasks over the workers, which is the spread of topics of partitions."""

from dataclasses import replace

from kassay.oracles.partitions.levels.topic_spread import TOPIC_SPREAD
from kassay.oracles.workers.levels.level import TASKS, Level
from kassay.properties.workers.measures import connector_excess

CONNECTOR_SPREAD = Level(
    words=replace(
        TOPIC_SPREAD.words, name="connector-spread", asked="spread connectors", missed="connectors less spread than possible",
        heading="connectors less spread\nthan possible", worse="spreads connectors less", each=("connector", "connectors"),
        measure="connector_excess", judged=None, told_as=f"{TASKS}: connector-spread",
    ),
    of=TOPIC_SPREAD,
    measure=connector_excess,
    kind=TASKS,
)  # fmt: skip
