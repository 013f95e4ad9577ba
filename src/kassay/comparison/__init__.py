"""Comparison: targets beside each other, beside the optimum, and beside Kafka's own classes."""
