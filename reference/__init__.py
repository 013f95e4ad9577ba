"""Reference implementations: Kafka's assignors in plain Python, equal to the originals in every result."""
