"""Generating clusters of Connect's workers: from bytes that Hypothesis draws, or from a seed.

>>> from kassay.properties.choices import from_seed
>>> from kassay.properties.workers.generating.clusters import cluster
>>> from kassay.properties.workers.generating.clusters import anything
>>> choices = from_seed(1)
>>> len(cluster(choices, anything(choices)).workers) >= 1
True
"""
