"""Comparisons of targets with each other, with the optimum, and with Kafka's own classes."""
