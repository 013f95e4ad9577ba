"""Properties of assignors of topic partitions, and generators of groups of topics and members.

>>> from kassay.model import Group, Member, Topic, TopicPartition
>>> from kassay.properties.partitions.measures import moves
>>> t0 = TopicPartition("t", 0)
>>> group = Group((Topic("t", 1),), (Member("a", ("t",), (t0,), generation=3), Member("b", ("t",))))
>>> moves(group, {"a": [], "b": [t0]})
1
"""
