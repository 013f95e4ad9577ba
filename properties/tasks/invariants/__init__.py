"""Invariants: what can be true of one answer of a task assignor.

>>> from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
>>> from kassay.properties.tasks.invariants.contract import complete
>>> client = "00000000-0000-0000-0000-000000000001"
>>> application = Application((Task(TaskId(0, 3)),), (Client(client, threads=1),))
>>> list(complete(application, TaskAssignment({client: Given((), ())}, probing=False)))
['0_3 is active nowhere']
"""
