"""Groups a little smaller than a group of topics and members, for the minimiser."""
