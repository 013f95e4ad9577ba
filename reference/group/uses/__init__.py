"""What the generic group protocol is used for: consumers, Connect (copycat), Kafka Streams (the processor client), single writers."""
