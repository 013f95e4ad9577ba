"""Generating applications, and what happens to them, from choices.

>>> from kassay.model.tasks import Application, Client
>>> from kassay.properties.choices import from_bytes
>>> from kassay.properties.tasks.generating.events import events
>>> client = Client("00000000-0000-0000-0000-000000000001", 1)
>>> events(from_bytes(bytes(9)), Application((), (client,)), 1)  # zeros give the simplest event
(Probe(),)
"""
