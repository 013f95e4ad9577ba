"""Generating groups of topics and members, and what happens to them, from choices and settings."""
