"""Situations: named features of clusters, a file for each group of them.

>>> from kassay.model.workers import Cluster, Worker
>>> from kassay.properties.workers.situations.workers import single_worker
>>> single_worker(Cluster((), (Worker("a"),)))
True
"""
