"""Properties of the work that Connect's workers get, rebalance by rebalance, written once for every family of workers.

>>> from kassay.model.workers import Cluster, Connector, Work, WorkAssignment, Worker
>>> from kassay.properties.workers.invariants import complete
>>> cluster = Cluster((Connector("files", 1),), (Worker("a"),))
>>> list(complete(cluster, WorkAssignment({"a": Work(("files",))}, {})))
['files-0 runs nowhere, though nothing is revoked or waited for']
"""
