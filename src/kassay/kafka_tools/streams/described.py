r"""A topology as ``TopologyDescription.toString()`` prints it: its subtopologies as statements of what they read and keep.

>>> text = "Topologies:\n   Sub-topology: 0\n    Source: s (topics: [orders])\n      --> p\n    Processor: p (stores: [counts])\n      --> none\n      <-- s\n"
>>> statements("t", text, "shop", {"orders": 4, "shop-counts-changelog": 4})
(['orders:counts'], [])
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from kassay.kafka_tools.place import quoted, some
from kassay.kafka_tools.tables import lines

TITLE = "Topologies:"
_SUBTOPOLOGY = re.compile(r"Sub-topology: ([0-9]+)( for global store \(will not generate tasks\))?")
_SOURCE = re.compile(r"Source: .+ \(topics: (.*)\)")
_PROCESSOR = re.compile(r"Processor: .+ \(stores: \[(.*)\]\)")
_OTHER = re.compile(r"Sink: .+ \(.*\)|(-->|<--)( .*)?")
_ADVICE = "give what Topology.describe() prints, whole"


@dataclass(slots=True)
class _Read:
    """A subtopology as printed."""

    id: int
    global_: bool
    topics: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


def is_described(text: str) -> bool:
    """Tell whether a text is what ``TopologyDescription.toString()`` prints, whether or not it can be read."""
    return text.lstrip("\ufeff \t\r\n").startswith(TITLE)


def statements(
    name: str, text: str, application: str, topics: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return what ``--subtopology`` would state of each subtopology, in Kafka's order, and what is assumed.

    Stores without a changelog among the topics are left out, as are global stores, which make no tasks. Raises ListingError.
    """
    read = _read(name, text)
    own = [one for one in read if not one.global_ and one.topics]
    known = {store: f"{application}-{store}-changelog" in topics for one in own for store in one.stores}
    warnings = []
    if missing := [store for store, there in known.items() if not there]:
        warnings.append(
            f"{name}: the listings have no changelog of {some(missing, len(missing))}, as where a source topic serves as one or nothing "
            "is logged: these stores are taken to keep nothing; --subtopology TOPIC:STORE states it otherwise"
        )
    if before := [one.id for one in read if one.global_ and own and one.id < own[-1].id]:
        warnings.append(
            f"{name}: subtopology {', '.join(map(str, before))} is a global store: those after it are numbered lower here than Kafka does"
        )
    told = (",".join(store for store in one.stores if known[store]) for one in own)
    return [f"{','.join(one.topics)}:{stores}" for one, stores in zip(own, told, strict=True)], warnings


def _read(name: str, text: str) -> list[_Read]:
    found: list[_Read] = []
    for place, whole in lines(name, text):
        line = whole.strip()
        if not line or line == TITLE or _OTHER.fullmatch(line):
            continue
        begins, source, processor = (each.fullmatch(line) for each in (_SUBTOPOLOGY, _SOURCE, _PROCESSOR))
        if begins:
            found.append(_Read(int(begins[1]), begins[2] is not None))
        elif found and source:
            if not re.fullmatch(r"\[.*\]", source[1]):
                what = f"{quoted(line)} reads a pattern, whose topics are not told"
                raise place.error(
                    what, "state them with --subtopology TOPIC,TOPIC:STORE,STORE in place of this file"
                )
            found[-1].topics += _names(source[1][1:-1])
        elif found and processor:
            found[-1].stores += [store for store in _names(processor[1]) if store not in found[-1].stores]
        else:
            raise place.error(f"{quoted(line)} is no line of a topology", _ADVICE)
    return found


def _names(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]
