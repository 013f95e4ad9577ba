"""kafka-python (pip install kafka-python); the strategy is its argument. It asks for metadata every 100 ms at most, and logs a traceback for each member otherwise."""

import logging
import os
import sys
import traceback

from kafka import KafkaConsumer
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

STICKY = StickyPartitionAssignor, CooperativeStickyAssignor
ASSIGNORS = RangePartitionAssignor, RoundRobinPartitionAssignor, *STICKY
logging.disable()
consumer = KafkaConsumer(
    *os.environ["KASSAY_TOPICS"].split(","),
    bootstrap_servers=os.environ["KASSAY_BOOTSTRAP"],
    group_id=os.environ["KASSAY_GROUP"],
    partition_assignment_strategy=[one for one in ASSIGNORS if one.name == sys.argv[1]],
    retry_backoff_ms=1,
)
while True:
    try:
        consumer.poll(1000)
    except KeyError:  # of its round robin, where members read different topics
        traceback.print_exc()
