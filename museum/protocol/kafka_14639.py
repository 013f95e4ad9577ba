"""A member that missed a rebalance claims by an older generation, and the assignor gives what it owns to another at once."""

from staging import group

from kassay.reference.consumer.releases import FROM
from kassay.simulation.schedule import Setting
from kassay.simulation.world import Machines

BEHAVIOURS = FROM["consumer/cooperative-sticky"]


def fixed(setting: Setting) -> Machines:
    """Assign as the cooperative assignor of 3.4.1."""
    return group(setting, BEHAVIOURS["3.4.1"] if setting.cooperative else None)


def affected(setting: Setting) -> Machines:
    """Assign as that of 3.0.0 to 3.4.0, which is held against Kafka's class."""
    return group(setting, BEHAVIOURS["3.0.0"] if setting.cooperative else None)
