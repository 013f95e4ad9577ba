"""A coordinator or a member alone, on a clock of its own, told in JSON what happens to it and seen from outside: held to Kafka's, and made into fixtures."""
