"""Server-side assignors of share groups, in which several members may read one partition (KIP-932).

>>> from kassay.model import Group, Member, Topic
>>> from kassay.reference.share.simple import SIMPLE
>>> group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",))))
>>> {name: [str(partition) for partition in given] for name, given in SIMPLE.assign(group).items()}
{'a': ['t-0'], 'b': ['t-0']}
"""
