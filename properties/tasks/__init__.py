"""What can be true of task assignors of Kafka Streams, and applications to try them on.

>>> from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
>>> from kassay.properties.tasks.measures import active_moves
>>> one, other = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
>>> clients = Client(one, 1, active=(TaskId(0, 0),)), Client(other, 1)
>>> moved = TaskAssignment({one: Given((), ()), other: Given((TaskId(0, 0),), ())}, probing=False)
>>> active_moves(Application((Task(TaskId(0, 0)),), clients), moved)
1
"""
