"""A run of a schedule, and what runs of one group have in common: steps and snapshots that are worked out once."""
