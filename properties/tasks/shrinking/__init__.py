"""Applications a little smaller than an application of Kafka Streams, for the minimiser.

>>> from kassay.model.tasks import Application, Client, Task, TaskId
>>> from kassay.properties.minimise import minimise
>>> from kassay.properties.tasks.shrinking.steps import smaller
>>> clients = [Client(f"12345678-0000-0000-0000-00000000000{n}", threads=7) for n in range(3)]
>>> application = Application(tuple(Task(TaskId(4, n)) for n in range(9)), tuple(clients))
>>> minimise(application, lambda each: len(each.tasks) >= 2, smaller).group.clients
(Client(id='00000000-0000-0000-0000-000000000001', threads=1, active=(), standby=(), lags={}, tags=(), rack=None, consumers={}),)
"""
