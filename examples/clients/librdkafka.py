"""librdkafka (pip install confluent-kafka); the strategy is its argument."""

import os
import sys

from confluent_kafka import Consumer

consumer = Consumer(
    {
        "bootstrap.servers": os.environ["KASSAY_BOOTSTRAP"],
        "group.id": os.environ["KASSAY_GROUP"],
        "partition.assignment.strategy": sys.argv[1],
    }
)
consumer.subscribe(os.environ["KASSAY_TOPICS"].split(","))
while True:
    consumer.poll(1.0)
