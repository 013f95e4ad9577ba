"""A member whose metadata cannot be read stops the join phase of its group; held against Kafka's coordinator of 4.1.2 and 4.4.0."""

from staging import group

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines


def fixed(setting: Setting) -> Machines:
    """Pass over such metadata."""
    return group(setting, stops_at_unreadable=False)


def affected(setting: Setting) -> Machines:
    """Stop at them."""
    return group(setting, stops_at_unreadable=True)
