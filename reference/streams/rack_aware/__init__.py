"""Rack-aware assignment of tasks (KIP-925): traffic across racks as a min-cost flow, solved as Kafka's Graph solves it."""
