"""The exact core: items that go to members at costs in several levels; it knows no family and no model."""
