"""How standby tasks are placed: by load alone, or on clients with other tags (KIP-708).

>>> from kassay.model.tasks import Application, Client, Task, TaskId
>>> from kassay.reference.streams.client_state import states
>>> from kassay.reference.streams.standby.default import place
>>> ids = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
>>> clients = states(Application((), tuple(Client(name, 1) for name in ids)))
>>> place(clients, [TaskId(0, 0)], copies=1)
>>> [len(clients[name].standby) for name in ids]
[1, 0]
"""
