"""What Kafka gives to those who write a task assignor of their own (KIP-924).

>>> from kassay.model.tasks import Application, Client, Task, TaskId
>>> from kassay.reference.streams.task_assignment_utils.standbys import identity
>>> task, client = TaskId(0, 0), Client("00000000-0000-0000-0000-000000000001", 1, (TaskId(0, 0),))
>>> states = identity(Application((Task(task),), (client,)))
>>> [str(held) for held in states[client.id].active]
['0_0']
"""
