"""Pictures of streams groups: members down, tasks across, active, standby and warm-up."""
