"""The group protocol: coordinator and members as state machines, for tests, simulators and clients.

>>> from kassay.reference.group import behaviour, coordinator
>>> [known.name for known in (behaviour.PROPOSAL, behaviour.UNPERSISTED, behaviour.kafka("4.4.0"))]
['proposal', 'proposal without persistence', 'kafka@4.4.0']
>>> coordinator.load(behaviour.PROPOSAL, ()).state.state
'Down'
"""
