"""What can be true of assignors: invariants, laws, measures, situations; and groups to try them on, by family.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.consumer import INVARIANTS, LAWS, SITUATIONS
>>> group = Group((Topic("t", 1),), (Member("a", ("t",)),))
>>> list(INVARIANTS["complete"](group, {"a": []}))
['t-0 has no owner, though a subscribes to t']
>>> SITUATIONS["single_member"](group)
True
"""
