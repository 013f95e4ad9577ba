"""The shape of topics, members and owned partitions: consumer, broker and share families."""
