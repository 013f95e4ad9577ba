"""Reference implementations: Kafka's assignors in plain Python, equal to the originals in every result.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.reference import ASSIGNORS
>>> group = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))
>>> {name: len(given) for name, given in ASSIGNORS["consumer/range"].assign(group).items()}
{'a': 2, 'b': 1}
"""

from collections.abc import Mapping

from kassay.model import Assignor
from kassay.reference.consumer.fair import FAIR
from kassay.reference.consumer.range import RANGE
from kassay.reference.consumer.redundant import REDUNDANT
from kassay.reference.consumer.roundrobin import ROUNDROBIN
from kassay.reference.consumer.sticky.assignor import STICKY
from kassay.reference.consumer.sticky.cooperative import COOPERATIVE_STICKY

ASSIGNORS: Mapping[str, Assignor] = {
    assignor.name: assignor
    for assignor in (
        RANGE,
        ROUNDROBIN,
        FAIR,
        STICKY,
        COOPERATIVE_STICKY,
        REDUNDANT,
    )
}
"""Name -> assignor."""
