"""The most even connectors, and the most even tasks, on workers."""

from dataclasses import replace

from kassay.oracles.partitions.levels.balance import BALANCE
from kassay.oracles.workers.levels.level import CONNECTORS, TASKS, Level
from kassay.properties.workers.measures import connector_imbalance, task_imbalance

OF_CONNECTORS = Level(
    words=replace(
        BALANCE.words, name="connector-balance", short="connectors", whose="connectors", asked="connectors even",
        missed="connectors not as even as possible", heading="connectors\nuneven", worse="has connectors less even",
        measure="connector_imbalance", judged=None, told_as=f"{CONNECTORS}: {BALANCE.name}",
    ),
    of=BALANCE,
    measure=connector_imbalance,
    kind=CONNECTORS,
)  # fmt: skip
OF_TASKS = Level(
    words=replace(
        BALANCE.words, name="task-balance", short="tasks", whose="tasks", evens=1, asked="tasks even",
        missed="tasks not as even as possible", column="uneven tasks", heading="tasks\nuneven", worse="has tasks less even",
        measure="task_imbalance", judged=None, told_as=f"{TASKS}: {BALANCE.name}",
    ),
    of=BALANCE,
    measure=task_imbalance,
    kind=TASKS,
)  # fmt: skip
