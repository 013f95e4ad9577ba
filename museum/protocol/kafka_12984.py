"""Two members claim the same partition, and the cooperative assignor believes both."""

from staging import group

from kassay.reference.consumer.releases import FROM
from kassay.simulation.schedule import Setting
from kassay.simulation.world import Machines

BEHAVIOURS = FROM["consumer/cooperative-sticky"]


def fixed(setting: Setting) -> Machines:
    """Assign as the cooperative assignor of 2.8.1."""
    return group(setting, BEHAVIOURS["2.8.1"] if setting.cooperative else None)


def affected(setting: Setting) -> Machines:
    """Assign as that of 2.5.1 to 2.8.0, which is held against Kafka's class."""
    return group(setting, BEHAVIOURS["2.5.1"] if setting.cooperative else None)
