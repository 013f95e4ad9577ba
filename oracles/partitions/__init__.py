"""Exact optima of groups of topics and members: encoding, certificates, worst cases."""
