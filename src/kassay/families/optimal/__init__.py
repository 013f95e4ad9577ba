"""Assignors of kassay's own: they answer with the proved optimum, or not at all.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.families.optimal import ASSIGNORS
>>> group = Group((Topic("t", 3),), (Member("b", ("t",)), Member("a", ("t",))))
>>> {name: list(map(str, given)) for name, given in ASSIGNORS["consumer/optimal"].assign(group).items()}
{'b': ['t-1', 't-2'], 'a': ['t-0']}
"""

from collections.abc import Mapping

from kassay.families.optimal.broker import OPTIMAL as OPTIMAL_BROKER
from kassay.families.optimal.consumer import OPTIMAL
from kassay.families.optimal.consumer.cooperative import OPTIMAL_COOPERATIVE
from kassay.families.optimal.streams import OPTIMAL as OPTIMAL_STREAMS
from kassay.model import Assignor

ASSIGNORS: Mapping[str, Assignor] = {
    assignor.name: assignor for assignor in (OPTIMAL, OPTIMAL_COOPERATIVE, OPTIMAL_BROKER, OPTIMAL_STREAMS)
}
"""Name -> assignor."""
