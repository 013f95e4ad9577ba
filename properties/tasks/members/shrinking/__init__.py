"""Shrinking streams groups: what is smaller than a group, and the order in which the minimiser descends.

>>> from kassay.model.streams_group import StreamsGroup, StreamsMember, Subtopology
>>> from kassay.properties.minimise import minimise
>>> from kassay.properties.tasks.members.shrinking.steps import smaller
>>> group = StreamsGroup((Subtopology(3, 9),), (StreamsMember("x", "a"), StreamsMember("y", "b")))
>>> minimise(group, lambda group: len(list(group.tasks())) > 4, smaller).group.subtopologies
(Subtopology(id=0, partitions=5, stateful=False),)
"""
