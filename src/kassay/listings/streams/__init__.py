r"""Applications of Kafka Streams from what Kafka's own tools print of their consumer groups and topics.

>>> from kassay.listings.streams.applications import read_applications
>>> table = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT"
>>> row = "shop shop-a-StreamThread-1-consumer-7e /h shop-a-StreamThread-1-consumer 2 orders(0,1)"
>>> topics = "Topic: orders\tPartitionCount: 2\nTopic: shop-counts-changelog\tPartitionCount: 2"
>>> (shop,) = read_applications([("shop.txt", f"{table}\n{row}\n{topics}")])
>>> [(str(task.id), task.changelogs[0].topic) for task in shop.application.tasks]
[('0_0', 'shop-counts-changelog'), ('0_1', 'shop-counts-changelog')]
"""
