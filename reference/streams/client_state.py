"""What a client holds while an assignment is made, and who has the least to do.

Source: ClientState of kafka-streams 4.3.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId


@dataclass(eq=False, slots=True)
class ClientState:
    """A client with the tasks that it has been given so far."""

    client: Client
    order: tuple[int, int]
    active: set[TaskId] = field(default_factory=set)
    standby: set[TaskId] = field(default_factory=set)

    @property
    def count(self) -> int:
        """The number of its tasks, in either role."""
        return len(self.active) + len(self.standby)

    @property
    def load(self) -> float:
        """The number of its tasks for each of its threads; a double, for Java compares these."""
        return (len(self.active) + len(self.standby)) / self.client.threads

    @property
    def active_load(self) -> float:
        """The number of its active tasks for each of its threads."""
        return len(self.active) / self.client.threads

    def holds(self, task: TaskId) -> bool:
        """Whether it has the task in either role."""
        return task in self.active or task in self.standby


States = Mapping[str, ClientState]
"""Clients by id, in the order of their ids."""


def states(application: Application) -> dict[str, ClientState]:
    """Return the clients with nothing given, in the order of their ids."""
    made = [ClientState(client, client.order) for client in application.clients]
    return {state.client.id: state for state in sorted(made, key=lambda state: state.order)}


def least_loaded(
    clients: Iterable[ClientState], allowed: Callable[[ClientState], bool]
) -> ClientState | None:
    """Return the allowed client with the lowest load, of equals the one with the lower id; None where none is allowed."""
    return min(
        (state for state in clients if allowed(state)),
        key=lambda state: (state.load, state.order),
        default=None,
    )


def assignment(clients: States, probing: bool) -> TaskAssignment:
    """Return what the clients hold as an answer."""
    return TaskAssignment(
        {
            name: Given(tuple(sorted(state.active)), tuple(sorted(state.standby)))
            for name, state in clients.items()
        },
        probing,
    )
