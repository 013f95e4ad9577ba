"""Properties of task assignors, and generators of applications.

>>> from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
>>> from kassay.properties.tasks.rounds import apply_answer
>>> client = Client("00000000-0000-0000-0000-000000000001", 1, lags={TaskId(0, 0): 500})
>>> application = Application((Task(TaskId(0, 0), stateful=True),), (client,))
>>> answer = TaskAssignment({client.id: Given((TaskId(0, 0),), ())}, probing=False)
>>> apply_answer(application, answer).clients[0].lags[TaskId(0, 0)]
-2
"""
