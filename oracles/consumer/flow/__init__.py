"""The fast oracles: shortest paths for small problems, cuts and a collapsed network for large ones."""
