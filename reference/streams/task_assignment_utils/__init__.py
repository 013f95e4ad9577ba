"""What Kafka gives to those who write a task assignor of their own (KIP-924)."""
