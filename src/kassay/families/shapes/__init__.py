"""Shapes: what groups of one kind of input look like, for all families that share it."""
