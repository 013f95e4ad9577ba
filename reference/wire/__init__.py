"""The bytes of Kafka's group protocols: frozen values of each message, read and written as Kafka's own classes do.

One module for each family: `group` (JoinGroup, SyncGroup), `consumer`, `sticky`, `connect`, `streams_subscription` and
`streams_assignment`. What cannot be read raises one error, MalformedError, which says what was read and where; what cannot be
written raises InputError. docs/wire.md shows how it is held against Kafka.
"""

from kassay.reference.wire.malformed import MalformedError

__all__ = ["MalformedError"]
