"""Comparing targets on the rows of a sweep: paired differences, their intervals, and gates for CI."""
