"""Generating applications of Kafka Streams, and what happens to them, from choices and settings.

>>> from kassay.properties.choices import from_bytes
>>> from kassay.properties.tasks.generating.applications import application
>>> from kassay.properties.tasks.generating.applications import anything
>>> choices = from_bytes(bytes(99))  # zeros give the simplest application
>>> [str(task.id) for task in application(choices, anything(choices)).tasks]
['0_0']
"""
