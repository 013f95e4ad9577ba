from kassay.family import Family
from kassay.oracles.broker import ORACLES, WORST
from kassay.properties.broker import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.shapes.partitions.oracles import oracles
from kassay.shapes.partitions.shape import PARTITIONS

BROKER = Family("broker", PARTITIONS, INVARIANTS, LAWS, MEASURES, SITUATIONS, EXPECTED, legal=LEGAL, oracles=oracles(ORACLES, WORST))
