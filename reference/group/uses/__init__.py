"""The uses of the generic group protocol: consumers, Connect (copycat), Kafka Streams (the processor client), single writers.

>>> from kassay.reference.group.uses.consumer import SINGLE_WRITER, WRITER
>>> SINGLE_WRITER.protocol_type, WRITER
('producer', ('writer',))
"""
