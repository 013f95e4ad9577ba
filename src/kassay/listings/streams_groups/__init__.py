r"""Streams groups (KIP-1071) from what kafka-streams-groups prints of their members.

>>> from kassay.listings.reading import read_files
>>> from kassay.listings.streams_groups.groups import group_of
>>> table = "GROUP MEMBER PROCESS CLIENT-ID ASSIGNMENTS"
>>> row = "shop m0 p0 shop-1-StreamThread-1-consumer ACTIVE: 0:[0,1]; STANDBY: 1:[0]; "
>>> rows = read_files([("shop.txt", f"{table}\n{row}")]).streams_groups["shop"]
>>> group, _ = group_of(rows)
>>> group["subtopologies"][1], group["members"][0]["active"]
({'id': '1', 'partitions': 1, 'stateful': True}, ['0_0', '0_1'])
"""
