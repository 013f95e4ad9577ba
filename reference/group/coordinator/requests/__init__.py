"""What a coordinator does with each request, in a file each.

>>> from kassay.reference.group import behaviour, coordinator, events, messages
>>> asked = events.Asked("a", messages.Heartbeat(generation=1, member_id="m"))
>>> nobody = coordinator.load(behaviour.PROPOSAL, ()).state
>>> coordinator.step(behaviour.PROPOSAL, nobody, asked).effects[0].response.error.name
'UNKNOWN_MEMBER_ID'
"""
