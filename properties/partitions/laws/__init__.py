"""Laws: what can be true of several runs of an assignor of topic partitions."""
