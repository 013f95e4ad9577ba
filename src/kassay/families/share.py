from kassay.family import Family
from kassay.oracles.share import ORACLES, WORST
from kassay.properties.share import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.shapes.partitions.oracles import oracles
from kassay.shapes.partitions.shape import PARTITIONS

SHARE = Family("share", PARTITIONS, INVARIANTS, LAWS, MEASURES, SITUATIONS, EXPECTED, legal=LEGAL, oracles=oracles(ORACLES, WORST))
