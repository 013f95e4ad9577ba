"""Small problems: one matrix of costs, shortest paths between members, and cycles that make an assignment better."""
