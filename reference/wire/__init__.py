"""The bytes of Kafka's group protocols: frozen values of each message, read and written as Kafka's own classes do.

>>> from kassay.model import Member
>>> from kassay.reference.wire import consumer
>>> sent = consumer.write_subscription(consumer.subscription_of(Member("m", ("orders",), rack="a")))
>>> consumer.read_subscription(sent).rack_id
'a'

What cannot be read raises one error, MalformedError, which says what was read and where; what cannot be written raises InputError.
docs/explanation/equality.md shows how it is held against Kafka.
"""

from kassay.reference.wire.schema import MalformedError

__all__ = ["MalformedError"]
