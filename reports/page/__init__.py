"""The pages: HTML files that need no network, with figures and tables as separate files."""
