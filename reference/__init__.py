"""Reference implementations: Kafka's assignors in plain Python, equal to the originals in every result.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.reference import ASSIGNORS
>>> group = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))
>>> {name: len(given) for name, given in ASSIGNORS["consumer/range"].assign(group).items()}
{'a': 2, 'b': 1}
"""

from collections.abc import Mapping

from kassay.model import Assignor
from kassay.reference.broker.range import RANGE as BROKER_RANGE
from kassay.reference.broker.uniform import UNIFORM
from kassay.reference.connect.eager import EAGER
from kassay.reference.connect.incremental_cooperative import INCREMENTAL_COOPERATIVE
from kassay.reference.consumer.fair import FAIR
from kassay.reference.consumer.metadata import METADATA
from kassay.reference.consumer.per_topic import PER_TOPIC
from kassay.reference.consumer.range import RANGE
from kassay.reference.consumer.redundant import REDUNDANT
from kassay.reference.consumer.roundrobin import ROUNDROBIN
from kassay.reference.consumer.sticky.assignor import STICKY
from kassay.reference.consumer.sticky.cooperative import COOPERATIVE_STICKY
from kassay.reference.share.simple import SIMPLE
from kassay.reference.streams.fallback_prior import FALLBACK_PRIOR
from kassay.reference.streams.high_availability import HIGH_AVAILABILITY
from kassay.reference.streams.legacy_sticky import LEGACY_STICKY
from kassay.reference.streams.sticky import STICKY as STREAMS_STICKY
from kassay.reference.streams_group.sticky import STICKY as STREAMS_GROUP_STICKY

ASSIGNORS: Mapping[str, Assignor] = {
    assignor.name: assignor
    for assignor in (
        RANGE,
        ROUNDROBIN,
        FAIR,
        STICKY,
        COOPERATIVE_STICKY,
        REDUNDANT,
        METADATA,
        PER_TOPIC,
        BROKER_RANGE,
        UNIFORM,
        SIMPLE,
        HIGH_AVAILABILITY,
        LEGACY_STICKY,
        FALLBACK_PRIOR,
        STREAMS_STICKY,
        STREAMS_GROUP_STICKY,
        EAGER,
        INCREMENTAL_COOPERATIVE,
    )
}
"""Name -> assignor."""
