"""Sampling applications of Kafka Streams by seed, for sweeps: limits and weights as settings of the generator.

>>> from kassay.properties.tasks.sampling.sampler import draw
>>> limits, weights = {"clients": (2, 2), "tasks_per_thread": (5, 9)}, {"history": {"even": 1, "restarted": 1}}
>>> draw(limits, weights, seed=1) == draw(limits, weights, seed=1)
True
"""
