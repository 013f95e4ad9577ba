"""The settings of Kafka's consumer clients: recognise a client, and write the lines that change its strategy.

>>> from kassay.client_settings import describe_change
>>> change = describe_change("librdkafka", "cooperative-sticky", "range", members=3)
>>> change.method, change.lines
('full stop', ('partition.assignment.strategy=cooperative-sticky',))

- `cells`: the facts, read from clients.toml
- `detection`: clients by the ids of members
- `changes`: the way from one strategy to another
- `kip848`: the move to KIP-848
- `groups`: groups with several clients, and the table of all clients
- `names`: the names for ``--client NAME``
- `lines`, `releases`: lines to copy, and releases in order
"""

from kassay.client_settings.cells import CLIENT_NAMES, Client, find_client, read_clients
from kassay.client_settings.changes import (
    METHODS,
    Change,
    Kip848Move,
    combine_methods,
    describe_change,
    describe_kip848,
)
from kassay.client_settings.detection import (
    Detection,
    Row,
    client_table,
    describe_mixed_group,
    detect_clients,
    list_lookalikes,
    settable_strategies,
)

__all__ = [
    "CLIENT_NAMES",
    "METHODS",
    "Change",
    "Client",
    "Detection",
    "Kip848Move",
    "Row",
    "client_table",
    "combine_methods",
    "describe_change",
    "describe_kip848",
    "describe_mixed_group",
    "detect_clients",
    "find_client",
    "list_lookalikes",
    "read_clients",
    "settable_strategies",
]
