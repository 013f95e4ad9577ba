"""The parts of `kassay compare`: given groups one by one, the rows of a sweep, and groups that cannot be compared now."""
