"""The shape of connectors, tasks and workers: the connect family."""
