"""Properties of task assignors of streams groups, whose members are threads of processes, and generators of groups (KIP-1071).

>>> from kassay.model.streams_group import MemberTasks, StreamsGroup, StreamsMember, Subtopology
>>> from kassay.model.tasks import TaskId
>>> from kassay.properties.tasks.members.invariants import one_copy_per_process
>>> members = StreamsMember("m0", "p0"), StreamsMember("m1", "p0")
>>> group = StreamsGroup((Subtopology(0, 1, stateful=True),), members)
>>> answer = {"m0": MemberTasks(active=(TaskId(0, 0),)), "m1": MemberTasks(standby=(TaskId(0, 0),))}
>>> list(one_copy_per_process(group, answer))
['process p0 has 2 copies of 0_0: active on m0, standby on m1']
"""
