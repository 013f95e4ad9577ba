"""What Kafka Streams makes of a topology before it assigns tasks: counts of partitions, and the tasks that they give.

>>> from kassay.reference.streams.topology.grouping import source_groups
>>> from kassay.reference.streams.topology.topics import Subtopology
>>> joined = Subtopology(0, sources=("orders", "users"))
>>> groups = source_groups([joined], {"orders": 2, "users": 1})
>>> {str(task): sorted(map(str, partitions)) for task, partitions in groups.items()}
{'0_0': ['orders-0', 'users-0'], '0_1': ['orders-1']}
"""
