"""Optima of whole sequences of rebalances, whatever the shape: what the oracles answer, and the JSON of their proofs."""
