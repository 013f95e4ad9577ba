"""Kafka's sticky assignors, in files named as Kafka names the steps.

>>> from kassay.model import Group, Member, Topic, TopicPartition
>>> from kassay.reference.consumer.sticky.assignor import assign
>>> t = Topic("t", 2)
>>> group = Group((t,), (Member("a", ("t",), tuple(t), generation=1), Member("b", ("t",))))
>>> {name: list(map(str, given)) for name, given in assign(group).items()}
{'a': ['t-0'], 'b': ['t-1']}
"""
