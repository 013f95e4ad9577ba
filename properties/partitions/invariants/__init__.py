"""Invariants: what can be true of one assignment of topic partitions."""
