"""What can be true of task assignors of Kafka Streams, and applications to try them on.

>>> from kassay.properties.choices import from_seed
>>> from kassay.properties.tasks.generating.applications import application
>>> from kassay.properties.tasks.generating.settings import anything
>>> choices = from_seed(1)
>>> [client.threads for client in application(choices, anything(choices)).clients]
[2, 2]
"""
