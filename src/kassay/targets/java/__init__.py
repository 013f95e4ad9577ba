"""Java assignor classes as targets: from Maven repositories, from Kafka's own releases, from local jars.

Each target is a Java process of its own that runs :mod:`the adapter <kassay.targets.java.adapter>`, a few Java classes
which speak the adapter protocol; so releases can be compared in one run, and a class may hang or end its process.
"""

from kassay.targets.java.opening import open_jar, open_kafka, open_maven

__all__ = ["open_jar", "open_kafka", "open_maven"]
