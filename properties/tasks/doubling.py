"""Doubling: applications that grow by doubling, by which it is told how the time of an answer grows."""

from collections.abc import Callable, Mapping
from functools import partial
from uuid import UUID

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.properties.tasks.rounds import Assign

RACKS = 3


def clients_alike(_: Assign, size: int, strategy: str = "none") -> Application:
    """Make an application of clients with two threads, four stateful tasks for each, and three racks (KAFKA-15022)."""
    clients, tasks = 2 * size, 8 * size
    racks = tuple((f"r{at % RACKS}",) for at in range(tasks))
    ids = [TaskId(0, at) for at in range(tasks)]
    return Application(
        tuple(
            Task(at, True, (TopicPartition("in", at.partition),), (TopicPartition("log", at.partition),))
            for at in ids
        ),
        tuple(
            Client(str(UUID(int=at)), 2, lags=dict.fromkeys(ids, 0), rack=f"r{at % RACKS}")
            for at in range(clients)
        ),
        Settings(rack_aware_assignment_strategy=strategy),
        (Topic("in", tasks, racks), Topic("log", tasks, racks)),
    )


GROWING: Mapping[str, Callable[[Assign, int], Application]] = {
    "clients alike": clients_alike,
    "clients alike, min_traffic": partial(clients_alike, strategy="min_traffic"),
}
"""What grows -> its application for an assignor and a size, which is doubled each time."""
