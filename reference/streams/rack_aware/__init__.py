"""Rack-aware assignment of tasks (KIP-925): traffic across racks as a min-cost flow, solved as Kafka's Graph solves it.

>>> from kassay.model.tasks import TaskId
>>> from kassay.reference.streams.rack_aware.graph import Graph
>>> from kassay.reference.streams.rack_aware.optimise import min_traffic
>>> one, two = TaskId(0, 0), TaskId(0, 1)
>>> found = min_traffic(Graph(), [one, two], {one: 0, two: 1}, [1, 1], lambda task, client: 10 * (task.partition == client))
>>> [found[one], found[two]]  # where each is at the wrong client, both change hands
[1, 0]
"""
