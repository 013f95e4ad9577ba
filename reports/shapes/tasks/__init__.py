"""Pictures of applications: clients down, tasks across, active, standby and warm-up."""
