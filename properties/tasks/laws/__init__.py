"""Laws: what can be true of several runs of a task assignor.

>>> from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
>>> from kassay.properties.tasks.laws.orders import client_order_independent
>>> clients = tuple(Client(f"00000000-0000-0000-0000-00000000000{n}", threads=1) for n in (1, 2))
>>> def first(application): return TaskAssignment({application.clients[0].id: Given((TaskId(0, 0),), ())}, False)
>>> next(client_order_independent(first, Application((Task(TaskId(0, 0)),), clients)))[-35:]
'clients in reverse order, no answer'
"""
