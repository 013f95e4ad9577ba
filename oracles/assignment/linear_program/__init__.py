"""The oracles as linear programs in PuLP: partition by partition, and on the collapsed network."""
