"""Situations: named features of groups, by which `check` says what it tried; each takes a group.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.partitions.situations.shape import uneven_split
>>> uneven_split(Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",)))))
True
"""
