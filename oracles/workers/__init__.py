"""Exact optima of Connect's clusters, by the oracle of partitions: connectors and tasks are two problems of their own.

>>> from kassay.model.workers import Cluster, Connector, Work, Worker
>>> from kassay.oracles.workers.optimum import compute_optimum
>>> cluster = Cluster((Connector("a"), Connector("b")), (Worker("w0", Work(("a", "b"))), Worker("w1")))
>>> [(level.name, level.value) for level in compute_optimum("balance,moves", cluster).levels]
[('connector-balance', 0), ('task-balance', 0), ('moves', 1)]
"""
