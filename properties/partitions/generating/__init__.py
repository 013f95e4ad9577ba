"""Generating groups of topics and members, and what happens to them, from choices and settings.

>>> from kassay.properties.choices import from_bytes
>>> from kassay.properties.partitions.generating.groups import group
>>> from kassay.properties.partitions.generating.events import anything
>>> choices = from_bytes(bytes(99))  # zeros give the simplest group
>>> [topic.name for topic in group(choices, anything(choices)).topics]
['t0']
"""
