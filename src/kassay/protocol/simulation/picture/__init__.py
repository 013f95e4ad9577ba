"""A run as people read it: a timeline in words, and a sequence diagram."""
