"""The reference assignors of the consumer family, for tests of that family."""

from kassay.families.assignors import ASSIGNORS

CONSUMERS = {name: assignor for name, assignor in ASSIGNORS.items() if assignor.family == "consumer"}
