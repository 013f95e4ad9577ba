"""The group protocol: coordinator and members as state machines that anybody can run, in a test, a simulator or a client."""
