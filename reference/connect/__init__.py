"""Assignors of Kafka Connect's workers: connectors and tasks, round by round (KIP-415).

>>> from kassay.model.workers import Cluster, Connector, Worker
>>> from kassay.reference.connect.incremental_cooperative import INCREMENTAL_COOPERATIVE
>>> cluster = Cluster((Connector("files", 3),), (Worker("a"), Worker("b")))
>>> answer = INCREMENTAL_COOPERATIVE.assign(cluster)
>>> {worker: [*work.connectors, *map(str, work.tasks)] for worker, work in answer.workers.items()}
{'a': ['files', 'files-0', 'files-2'], 'b': ['files-1']}
"""
