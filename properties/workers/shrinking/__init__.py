"""Shrinking clusters: what the minimiser tries to make a failing one small and plain.

>>> from kassay.model.workers import Cluster, Connector, Worker
>>> from kassay.properties.workers.shrinking.steps import smaller
>>> next(smaller(Cluster((Connector("c0"),), (Worker("w0"), Worker("w1"))))).workers
(Worker(id='w0', work=Work(connectors=(), tasks=())),)
"""
