"""Laws: what can be true of several rounds, a file for each group of them.

>>> from kassay.model.workers import Cluster, WorkAssignment, Work, Worker
>>> from kassay.properties.workers.laws.rest import settles
>>> impatient = lambda cluster: WorkAssignment({"a": Work()}, {}, delay_ms=1)
>>> [str(sentence) for sentence in settles(impatient, Cluster((), (Worker("a"),)))]
['after 9 rounds it still asks for another one']
"""
