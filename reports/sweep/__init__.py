"""Sweeps: from a grid of kinds of groups to judged rows in Parquet, on one machine or many."""
