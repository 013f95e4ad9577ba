"""The bytes of Kafka's group protocols: frozen values of each message, read and written as Kafka's own classes do.

>>> from kassay.model import Member
>>> from kassay.reference.wire import consumer
>>> sent = consumer.write_subscription(consumer.build_subscription(Member("m", ("orders",), rack="a")))
>>> consumer.read_subscription(sent).rack_id
'a'

Unreadable bytes raise MalformedError, with the place and what was read; values that cannot be written raise InputError.
docs/explanation/equality.md shows the comparison with Kafka.
"""

from kassay.reference.wire.schema import MalformedError

__all__ = ["MalformedError"]
