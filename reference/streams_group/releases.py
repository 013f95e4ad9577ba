"""How the assignor of streams groups behaved in releases of Kafka: the first release of each behaviour.

4.1 walks through sets of objects without a hash code of their own: its answers differ from process to process, and it has no reference.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.reference.java.hash_map import hash_order
from kassay.reference.streams_group import sticky
from kassay.reference.streams_group.process_state import choose_until_4_3, of_standbys

Assign: TypeAlias = Callable[[StreamsGroup], StreamsAssignment]

_FIRST = partial(sticky.assign, candidates=of_standbys, choose=choose_until_4_3, order=hash_order)

FROM: Mapping[str, Mapping[str, Assign]] = {
    "streams-group/sticky": {
        "4.2.0": _FIRST,
        "4.2.2": partial(sticky.assign, candidates=of_standbys, order=hash_order),
        "4.3.0": _FIRST,
        "4.4.0": sticky.assign,
    },
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first: 4.2.2 has KAFKA-20899, 4.3 has not."""
