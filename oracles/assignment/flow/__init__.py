"""The fast oracles: cheapest flows, of all kinds and members at once, or of the loads and then of a collapsed network."""
