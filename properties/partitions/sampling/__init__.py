"""Sampling groups of topics and members by seed and settings, for sweeps."""
