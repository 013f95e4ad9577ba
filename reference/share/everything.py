"""Give every member every partition of the topics it subscribes to.

Source: org.apache.kafka.coordinator.group.assignor.SimpleAssignor of Kafka 3.9 and 4.0.
"""

from kassay.model import Assignment, Group
from kassay.reference.broker.group_spec import group_spec


def assign(group: Group) -> Assignment:
    """Give every member every partition of the topics it subscribes to; one without topics is left out of the answer."""
    spec = group_spec(group)
    return spec.answer(
        {
            member: {topic: range(spec.partitions(topic)) for topic in topics}
            for member, topics in spec.subscribed.items()
            if topics
        }
    )
