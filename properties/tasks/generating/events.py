"""Placeholder."""

from kassay.model.tasks import Application
from kassay.properties.choices import Choices


def events(choices: Choices, application: Application, number: int) -> tuple[object, ...]:
    """Placeholder."""
    return tuple((choices.below(9), len(application.tasks)) for _ in range(number))
