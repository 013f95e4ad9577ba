"""Kafka's sticky assignors, in files named as Kafka names the steps."""
