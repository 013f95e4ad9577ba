"""A seventh family, of the shape of topic partitions."""

from kassay.families.family import Family
from kassay.families.shapes.partitions import PARTITIONS, oracles
from kassay.oracles.consumer import ORACLES, WORST
from kassay.properties.consumer import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, SITUATIONS

CALLED = {"legal": LEGAL, "oracles": oracles(ORACLES, WORST)}
TOY = Family("toy", PARTITIONS, INVARIANTS, LAWS, MEASURES, SITUATIONS, EXPECTED, **CALLED)
