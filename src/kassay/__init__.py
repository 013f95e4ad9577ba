"""kassay, the assay office for Kafka assignors."""

__version__ = "0.1.0"
