"""Place standby tasks as Kafka does by itself, for assignors that place active tasks alone (KIP-924).

Source: TaskAssignmentUtils.identityAssignment and defaultStandbyTaskAssignment of kafka-streams 4.3.
"""

from kassay.model.tasks import Application
from kassay.reference.streams.client_state import States, states
from kassay.reference.streams.hash_orders import task_order, with_changelogs
from kassay.reference.streams.standby import client_tag_aware, default


def identity(application: Application) -> States:
    """Return the clients with the tasks that they had."""
    clients = states(application)
    for state in clients.values():
        state.active |= set(state.client.active)
        state.standby |= set(state.client.standby)
    return clients


def assign_default_standbys(application: Application, clients: States) -> None:
    """Give each task that lists changelogs its standbys: with tags on clients with other ones, else on the least loaded clients.

    With tags Kafka gives each task that is active one standby even where none are configured.
    """
    settings, tasks = application.settings, task_order(with_changelogs(application))
    if settings.rack_aware_assignment_tags:
        tags = settings.rack_aware_assignment_tags
        client_tag_aware.place(clients, tasks, settings.num_standby_replicas, tags)
    else:
        default.place(clients, tasks, settings.num_standby_replicas)
