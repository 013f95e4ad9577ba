"""Conformance fixtures: groups that assignors in any language must and should get right, made, held against proofs, and run."""
