"""Commands that make pages: of a sweep, of released clients, and the playground."""
