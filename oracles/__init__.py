"""Exact optima of assignors' groups, each with a proof that separate code checks; a folder a family.

Light to import: what needs NumPy or a solver is loaded where a question is asked, by
``kassay.oracles.FAMILY.optimum``.
"""

from collections.abc import Mapping

from kassay.oracles import consumer, streams

ORACLES: Mapping[str, Mapping[str, str]] = {
    "consumer": consumer.ORACLES,
    "streams": streams.ORACLES,
}
"""Family -> question -> what its oracle answers, in one sentence."""
