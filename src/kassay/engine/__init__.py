"""The engine: tries targets on many groups and judges them; it knows families, but never what a group looks like."""
