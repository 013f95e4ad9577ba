"""Placeholder."""

from dataclasses import dataclass

from kassay.model.tasks import Application


@dataclass(frozen=True)
class Timeline:
    """Placeholder."""

    start: Application
    events: tuple[object, ...]
