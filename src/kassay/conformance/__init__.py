"""Conformance fixtures: groups with the musts and the best values of an answer, for assignors in any language."""
