"""Pictures of applications and of streams groups: clients or members down, tasks across, active, standby and warm-up."""
