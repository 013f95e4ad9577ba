"""Situations: named features of consumer groups, by which `check` says what it tried; each takes a group."""
