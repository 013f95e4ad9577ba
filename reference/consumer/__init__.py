"""The consumer family: client-side assignors of the classic group protocol, each as every release of Kafka had it.

>>> from kassay.reference.releases import behaviours
>>> [str(behaviour) for behaviour in behaviours("consumer/range")]
['2.2.0 to 2.3.1', '2.4.0 to 3.4.1', '3.5.0 to 4.4.0']
"""
