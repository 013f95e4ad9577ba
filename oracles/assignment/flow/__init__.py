"""The fast oracles: cheapest flows, of all item classes and members at once, or of the loads and then of a collapsed network."""
