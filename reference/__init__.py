"""Reference implementations: each assignor of Kafka in plain Python, equal to the original in every result."""
