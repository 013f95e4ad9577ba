"""Sampling groups of topics and members by seed, for sweeps: limits and weights as settings of the generator.

>>> from kassay.properties.partitions.sampling.sampler import draw
>>> limits, weights = {"members": (2, 2), "partitions": (5, 9)}, {"claims": {"even": 1, "stale": 1}}
>>> draw(limits, weights, seed=1) == draw(limits, weights, seed=1)
True
"""
