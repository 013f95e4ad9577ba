"""The group protocol in motion: a whole group in simulation, a coordinator that serves real clients, and a client of real coordinators."""
