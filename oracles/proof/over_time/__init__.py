"""Sums over a sequence of rebalances: its network, the lower bounds of prices, and the sums of assignments."""
