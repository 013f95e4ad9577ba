"""Exact optima of groups of topics and members: encoding, certificates, exhaustive search, worst cases."""
