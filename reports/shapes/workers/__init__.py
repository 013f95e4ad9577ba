"""Pictures of Connect's clusters: workers down, connectors and their tasks across."""
