"""Laws: what can be true of several runs of an assignor of topic partitions.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.partitions.laws.several_runs import member_order_independent
>>> group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",))))
>>> def first(group): return {group.members[0].id: list(group.topics[0])}
>>> next(member_order_independent(first, group))
'a is given t-0; with the members in reverse order, no answer'
"""
