"""The optimum as a server-side assignor of the group coordinator would answer it."""
