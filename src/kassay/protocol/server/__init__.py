"""Real consumers as targets: each is led from group to group by a coordinator of kassay's, on loopback.

A client is started with KASSAY_BOOTSTRAP, KASSAY_GROUP and KASSAY_TOPICS in its environment. It joins, is made the leader of one group after
another, and says assignments, as it would to a broker; so nobody writes an adapter, and what is judged is the client with all it does around
its assignor. The coordinator runs in a process of its own, which speaks the adapter protocol to kassay.
"""
