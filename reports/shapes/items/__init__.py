"""Pictures of items that are given out in roles: clients, members or workers down, tasks or connectors across."""
