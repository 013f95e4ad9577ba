"""The optimal assignor of the consumer family: the most even loads, then the fewest reads across racks, then the fewest moves."""
