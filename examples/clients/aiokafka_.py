"""aiokafka (pip install aiokafka); the strategy is its argument."""

import asyncio
import os
import sys

from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

ASSIGNORS = RangePartitionAssignor, RoundRobinPartitionAssignor, StickyPartitionAssignor


async def consume() -> None:
    consumer = AIOKafkaConsumer(
        *os.environ["KASSAY_TOPICS"].split(","),
        bootstrap_servers=os.environ["KASSAY_BOOTSTRAP"],
        group_id=os.environ["KASSAY_GROUP"],
        partition_assignment_strategy=[one for one in ASSIGNORS if one.name == sys.argv[1]],
        retry_backoff_ms=1,
    )
    async with consumer:
        async for _ in consumer:
            pass


asyncio.run(consume())
