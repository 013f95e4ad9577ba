"""Groups of three members, each in a rack of its own, of which one reads one of two topics and is far from all replicas.

Other groups seldom come to where racks and different subscriptions pull in two directions, and then with many partitions.
"""

from kassay.model import Group, Member, Topic
from kassay.properties.choices import Choices

RACKS = ("r0", "r1", "r2")
MOST_PARTITIONS = 16


def apart(choices: Choices) -> Group:
    """Choose such a group: replicas are in one or both of the other members' racks, or in none that is known."""
    far = choices.pick(RACKS)
    near = tuple(rack for rack in RACKS if rack != far)
    homes = (near, near[::-1], near[:1], near[1:], (None,))
    topics = tuple(
        Topic(name, count, tuple(choices.pick(homes) for _ in range(count)))
        for name in ("t0", "t1")
        for count in [1 + choices.below(MOST_PARTITIONS)]
    )
    read = choices.pick((("t0",), ("t1",)))
    members = tuple(
        Member(f"m{n}", read if rack == far else ("t0", "t1"), rack=rack)
        for n, rack in enumerate(choices.shuffled(RACKS))
    )
    return Group(topics, members)
