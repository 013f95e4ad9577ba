"""Situations: named features of applications, by which `check` says what it tried; each takes an application.

>>> from kassay.model.tasks import Application, Client
>>> from kassay.properties.tasks.situations.clients import mixed_threads
>>> ids = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
>>> mixed_threads(Application((), tuple(Client(name, threads) for name, threads in zip(ids, (1, 2)))))
True
"""
