"""Generating groups of topics and members from choices."""
