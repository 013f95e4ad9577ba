"""Situations in the tasks of an application: their state, their subtopologies and what they read."""

from collections import Counter

from kassay.model.tasks import Application


def stateless_only(application: Application) -> bool:
    """There are tasks, and none keeps state."""
    return bool(application.tasks) and not any(task.stateful for task in application.tasks)


def stateful_only(application: Application) -> bool:
    """There are tasks, and all keep state."""
    return bool(application.tasks) and all(task.stateful for task in application.tasks)


def mixed_state(application: Application) -> bool:
    """Some tasks keep state and others do not."""
    return len({task.stateful for task in application.tasks}) > 1


def several_subtopologies(application: Application) -> bool:
    """The tasks are of more than one subtopology."""
    return len({task.id.subtopology for task in application.tasks}) > 1


def uneven_subtopologies(application: Application) -> bool:
    """Two subtopologies have different numbers of tasks."""
    return len(set(Counter(task.id.subtopology for task in application.tasks).values())) > 1


def uneven_tasks(application: Application) -> bool:
    """The tasks do not divide evenly among all threads."""
    threads = sum(client.threads for client in application.clients)
    return bool(threads) and len(application.tasks) % threads > 0


def permuted_tasks(application: Application) -> bool:
    """The tasks are not listed in their order."""
    ids = [task.id for task in application.tasks]
    return ids != sorted(ids)


def several_inputs(application: Application) -> bool:
    """A task reads several partitions, as for a join."""
    return any(len(task.inputs) > 1 for task in application.tasks)


def several_changelogs(application: Application) -> bool:
    """A task has several changelogs."""
    return any(len(task.changelogs) > 1 for task in application.tasks)


def source_changelog(application: Application) -> bool:
    """A task's input is its changelog too, as where a table is read with an optimised topology."""
    return any(set(task.inputs) & set(task.changelogs) for task in application.tasks)
