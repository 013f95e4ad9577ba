"""Groups a little smaller than a group of topics and members, for the minimiser.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.minimise import minimise
>>> from kassay.properties.partitions.shrinking.catalogue import smaller
>>> group = Group((Topic("prices", 9),), (Member("x", ("prices",)), Member("y", ())))
>>> minimise(group, lambda g: sum(t.partitions for t in g.topics) >= 2, smaller).group.topics == (Topic("t0", 2),)
True
"""
