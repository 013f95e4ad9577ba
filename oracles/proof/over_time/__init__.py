"""Sums over a sequence of rebalances: the network that it is, what prices prove of that, and what assignments come to."""
