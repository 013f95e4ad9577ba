"""Assignors that misbehave on some groups: those with three members; the others are dealt in turn."""

import os
import sys
import time

from kassay.reference.consumer.roundrobin import assign as dealt


def hangs(group):
    while len(group.members) == 3:
        time.sleep(1)
    return dealt(group)


def crashes(group):
    if len(group.members) == 3:
        os.abort()
    return dealt(group)


def hogs(group):
    kept = []
    while len(group.members) == 3:
        kept.append(bytes(2**31))  # asked for, and never touched
    return dealt(group)


def throws(group):
    if len(group.members) == 3:
        raise ZeroDivisionError("three is too many")
    return dealt(group)


def loses(group):
    given = {member: list(partitions) for member, partitions in dealt(group).items()}
    if len(group.members) == 3:
        given = {member: partitions[1:] for member, partitions in given.items()}
    return given


def exits(group):
    if len(group.members) == 3:
        sys.exit(3)
    return dealt(group)
