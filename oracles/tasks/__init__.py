"""Exact optima of applications of Kafka Streams: active tasks and standbys placed on clients."""
