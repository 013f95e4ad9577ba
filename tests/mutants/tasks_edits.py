"""What mutants of task assignors are made with: other settings, other tasks given."""

from dataclasses import replace

from kassay.model.tasks import Application, TaskAssignment, TaskId


def setting(application: Application, **values) -> Application:
    """Return the application with other settings."""
    return replace(application, settings=replace(application.settings, **values))


def giving(answer: TaskAssignment, role: str, change) -> TaskAssignment:
    """Return the answer with what `change` makes of each client's name and tasks in a role."""
    clients = {
        name: given._replace(**{role: tuple(change(name, getattr(given, role)))})
        for name, given in answer.clients.items()
    }
    return answer._replace(clients=clients)


def stateful(application: Application) -> set[TaskId]:
    """Return the tasks that keep state."""
    return {task.id for task in application.tasks if task.stateful}
