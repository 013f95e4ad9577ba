"""Whole groups on the real clock: the world of the simulation, with somebody else's coordinator or client in one place, behind a socket."""
