"""The task assignors of Kafka Streams, as its classes behave release by release.

>>> from kassay.model.tasks import Application, Client, Task, TaskId
>>> from kassay.reference.streams.high_availability import assign
>>> ids = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
>>> answer = assign(Application(tuple(Task(TaskId(0, n)) for n in range(3)), tuple(Client(name, 1) for name in ids)))
>>> [[str(task) for task in answer.clients[name].active] for name in ids]
[['0_0', '0_2'], ['0_1']]
"""
