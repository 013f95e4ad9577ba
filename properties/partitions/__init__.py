"""What can be true of assignors of topic partitions, and groups of topics and members to try them on.

>>> from kassay.model import Group, Member, Topic, TopicPartition
>>> from kassay.properties.partitions.measures import moves
>>> t0 = TopicPartition("t", 0)
>>> group = Group((Topic("t", 1),), (Member("a", ("t",), (t0,), generation=3), Member("b", ("t",))))
>>> moves(group, {"a": [], "b": [t0]})
1
"""
