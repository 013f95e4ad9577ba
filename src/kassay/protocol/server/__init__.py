"""Real clients and external coordinators over sockets.

A client target needs no adapter: it is started with KASSAY_BOOTSTRAP, KASSAY_GROUP and KASSAY_TOPICS in its environment, joins, and is made the
leader of one group after another. So the client is tested with everything around its assignor. Its coordinator runs in a process of its own
(:mod:`.bridge`), which answers kassay by the adapter protocol.

A client can also be a member of a simulated group (:mod:`.client_groups`), and a broker can coordinate one (:mod:`.external_groups`).
"""
