"""Sampling clusters by seed, for sweeps.

>>> from kassay.properties.workers.sampling.sampler import draw
>>> [worker.id for worker in draw({"workers": (2, 2)}, {}, 0).start.workers]
['w0', 'w1']
"""
