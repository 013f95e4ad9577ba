"""What can be true of assignors of topic partitions, and groups of topics and members to try them on."""
