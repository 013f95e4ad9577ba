"""Facts about one group that its advice rests on: state, subscriptions, clients, co-location and the load ratio."""
