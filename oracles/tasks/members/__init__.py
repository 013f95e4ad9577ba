"""Oracles of streams groups, whose members are threads of processes.

>>> from kassay.model.streams_group import StreamsGroup, StreamsMember, Subtopology
>>> from kassay.oracles.tasks.members.optimum import optimum
>>> members = StreamsMember("m0", "p0"), StreamsMember("m1", "p1")
>>> optimum("balance", StreamsGroup((Subtopology(0, 3),), members)).values
{'balance': 1, 'total-balance': 1}
"""
