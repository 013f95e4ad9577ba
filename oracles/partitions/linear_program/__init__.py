"""Optima of groups by linear programs in PuLP, to hold the fast ones against."""
