"""A coordinator that cannot end a join phase if the metadata of a member cannot be read. Tests compare it with Kafka's coordinators of 4.1.2 and 4.4.0."""

from staging import build_machines

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines


def build_fixed(setting: Setting) -> Machines:
    """Ignore metadata that cannot be read."""
    return build_machines(setting, stops_at_unreadable=False)


def build_affected(setting: Setting) -> Machines:
    """Stop at metadata that cannot be read."""
    return build_machines(setting, stops_at_unreadable=True)
