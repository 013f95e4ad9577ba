"""Librdkafka's mock cluster of one broker: prints its address, and is gone when standard input ends."""

import sys

from confluent_kafka import Producer

producer = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "mock", "log_level": 0})
(broker,) = producer.list_topics(timeout=10).brokers.values()
print(f"{broker.host}:{broker.port}", flush=True)
sys.stdin.read()
