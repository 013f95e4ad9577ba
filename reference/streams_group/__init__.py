"""Task assignors of streams groups, which the group coordinator runs: as Kafka's, in plain Python.

>>> from kassay.model.streams_group import StreamsGroup, StreamsMember, Subtopology
>>> from kassay.reference.streams_group.sticky import STICKY
>>> members = StreamsMember("m0", "p0"), StreamsMember("m1", "p1")
>>> answer = STICKY.assign(StreamsGroup((Subtopology(0, 3),), members))
>>> {name: [str(task) for task in given.active] for name, given in answer.items()}
{'m0': ['0_0', '0_2'], 'm1': ['0_1']}
"""
