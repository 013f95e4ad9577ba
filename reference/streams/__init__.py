"""The task assignors of Kafka Streams, as its classes behave release by release."""
