"""Java's orders: how strings hash and sort and how maps iterate, which Kafka's assignors depend on.

>>> from kassay.reference.java.hash_map import hash_order
>>> from kassay.reference.java.strings import string_hash
>>> string_hash("Aa") == string_hash("BB")
True
>>> hash_order(["topic-10", "alpha", "m", "zeta"], string_hash)
['zeta', 'alpha', 'topic-10', 'm']
"""
