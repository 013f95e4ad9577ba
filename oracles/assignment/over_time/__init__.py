"""The exact optimum of a whole sequence of rebalances: items that go through layers of nodes, and prices that prove it."""
