"""The shape of tasks and clients with threads, lags, active tasks and standbys: the Streams families."""
