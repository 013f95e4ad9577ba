"""Invariants of streams groups: what must be true of one answer. Each takes a group and an answer, and yields a sentence per violation.

>>> from kassay.model.streams_group import StreamsGroup, StreamsMember, Subtopology
>>> from kassay.properties.tasks.members.invariants.contract import complete
>>> list(complete(StreamsGroup((Subtopology(0, 1),), (StreamsMember("m0", "p0"),)), {}))
['0_0 is active nowhere']
"""
