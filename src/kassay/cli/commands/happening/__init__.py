"""Commands on what happens to a group: before its next rebalance, and over a sequence of them."""
