"""Joint optima on classes of items and groups of members: an integer program over patterns, by column generation."""
