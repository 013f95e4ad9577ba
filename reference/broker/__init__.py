"""Server-side assignors of consumer groups, which the group coordinator runs (KIP-848).

>>> from kassay.model import Group, Member, Topic
>>> from kassay.reference.broker.uniform import UNIFORM
>>> group = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))
>>> {name: [str(partition) for partition in given] for name, given in UNIFORM.assign(group).items()}
{'a': ['t-0'], 'b': ['t-1', 't-2']}
"""
