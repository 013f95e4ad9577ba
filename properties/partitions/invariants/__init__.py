"""Invariants: what can be true of one assignment of topic partitions.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.partitions.invariants.balance import balanced
>>> group = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
>>> list(balanced(group, {"a": list(group.topics[0]), "b": []}))
['a holds 2 partitions, b holds 0; more even: move t-0 from a to b']
"""
