"""What Kafka Streams makes of a topology before it assigns tasks: counts of partitions, and the tasks that they give."""
