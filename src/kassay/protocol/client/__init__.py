"""Groups of a running cluster: a connection that only asks, what brokers say of groups, and listings made of it."""
