"""Assignors of kassay's own: they answer with the proved optimum, or not at all.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.optimal import ASSIGNORS
>>> group = Group((Topic("t", 3),), (Member("b", ("t",)), Member("a", ("t",))))
>>> {name: list(map(str, given)) for name, given in ASSIGNORS["consumer/optimal"].assign(group).items()}
{'b': ['t-2'], 'a': ['t-0', 't-1']}
"""

from collections.abc import Mapping

from kassay.model import Assignor
from kassay.optimal.broker import OPTIMAL as OPTIMAL_BROKER
from kassay.optimal.consumer.assignor import OPTIMAL
from kassay.optimal.consumer.cooperative import OPTIMAL_COOPERATIVE
from kassay.optimal.streams.assignor import OPTIMAL as OPTIMAL_STREAMS

ASSIGNORS: Mapping[str, Assignor] = {
    assignor.name: assignor for assignor in (OPTIMAL, OPTIMAL_COOPERATIVE, OPTIMAL_BROKER, OPTIMAL_STREAMS)
}
"""Name -> assignor."""
