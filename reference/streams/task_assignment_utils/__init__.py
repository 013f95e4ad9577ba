"""What Kafka gives to those who write a task assignor of their own (KIP-924).

>>> from kassay.model import Topic, TopicPartition
>>> from kassay.model.tasks import Application, Client, Settings, Task, TaskId
>>> from kassay.reference.streams.task_assignment_utils.standbys import assign_default_standbys, identity
>>> ids, task = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)], TaskId(0, 0)
>>> clients = (Client(ids[0], 1, (task,), lags={task: 0}), Client(ids[1], 1, lags={task: 0}))
>>> tasks = (Task(task, stateful=True, changelogs=(TopicPartition("changelog", 0),)),)
>>> application = Application(tasks, clients, Settings(num_standby_replicas=1), (Topic("changelog", 1),))
>>> states = identity(application)
>>> assign_default_standbys(application, states)
>>> [[*map(str, states[name].active)] + [*map(str, states[name].standby)] for name in ids]
[['0_0'], ['0_0']]
"""
