"""What verify_tasks_certificate.py demands of an application beyond its form; like that file it needs Python alone."""

from typing import Any
from uuid import UUID


def refuse_at_odds(application: Any, known: Any, by: Any) -> None:
    """Refuse what contradicts itself: names that stand for nothing, logs without state, clients that say nothing of a task's state."""
    counts = {topic["name"]: topic["partitions"] for topic in application.get("topics", ())}
    threads = sum(client["threads"] for client in known.clients.values())
    by.need(threads <= 10**6, f"application.clients: {threads} threads are too many; give at most 1,000,000")
    for topic in application.get("topics", ()):
        by.questions.refuse_short(topic, f"application: topic {topic['name']}", by)
    for name, task in known.tasks.items():
        for topic, n in (*task.get("inputs", ()), *task.get("changelogs", ())):
            there = 0 <= n < counts.get(topic, 0)
            by.need(there, f"application.tasks: {name} reads {topic}-{n}, which no topic has; list it")
        logs = task.get("changelogs") and not task.get("stateful")
        by.need(not logs, f"application.tasks: {name} has changelogs, but is not stateful")
    stateful = {name for name, task in known.tasks.items() if task.get("stateful")}
    for name, client in known.clients.items():
        fit = application.get("family") != "streams" or is_uuid(name)
        by.need(fit, f"application.clients: {name[:60]!r} is no UUID; give one")
        stray = next((task for task in client.get("lags", ()) if task not in known.tasks), "")
        by.need(
            not stray, f"application.clients: {name} has a lag of {stray}, which there is not; leave it out"
        )
        silent = min(stateful - {*client.get("lags", ())}, default="")
        by.need(not silent, f"application.clients: {name} says no lag of {silent}; give one")


def is_uuid(text: str) -> bool:
    """Return whether a text is a UUID as Kafka Streams writes it."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
