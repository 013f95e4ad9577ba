"""Java's orders: how strings hash and sort and how maps iterate, which Kafka's assignors depend on."""
