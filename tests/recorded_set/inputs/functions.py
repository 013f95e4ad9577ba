"""Assignors as Python functions, for targets such as ``python:functions:assign_nothing``."""


def assign_nothing(group):
    """Give no member anything."""
    return {member.id: [] for member in group.members}


def raise_error(group):
    """Fail on every group of several members."""
    if len(group.members) > 1:
        raise ValueError("two are too many")
    return {member.id: [] for member in group.members}
