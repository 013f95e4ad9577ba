"""Invariants: what can be true of one answer to a cluster, a file for each group of them.

>>> from kassay.model.workers import Cluster, Work, WorkAssignment, Worker
>>> from kassay.properties.workers.invariants.contract import existing
>>> list(existing(Cluster((), (Worker("a"),)), WorkAssignment({"a": Work(("gone",))}, {})))
['a has gone, which is not configured']
"""
