"""The story of one consumer group: members come and go, and after each change the group settles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from java_members import JavaMembers
from native_members import NativeMembers
from settling import Settled, settled

from kassay.model import Group, Member, Topic, TopicPartition

TOPICS = {"orders": 7, "payments": 5, "clicks": 6, "logins": 6, "pair": 2, "twin": 2}
RACKS = "abc"
"""Those of the brokers, in their order."""

SAME, OTHER = ("orders", "payments", "clicks"), ("clicks", "logins")


def topic(name: str) -> Topic:
    """Return a topic as it was created: replicas in two of the three racks."""
    racks = tuple((RACKS[n % 3], RACKS[(n + 1) % 3]) for n in range(TOPICS[name]))
    return Topic(name, TOPICS[name], racks)


@dataclass(frozen=True)
class Scene:
    """A settled group: what changed before, what it is asked to assign, and what its coordinator says it settled on.

    Members claim what they had in the scene before. `runs` are the rounds in which a Java member led.
    """

    change: str
    group: Group
    settled: Settled
    runs: Sequence[dict[str, Any]]

    def given(self) -> dict[str, frozenset[TopicPartition]]:
        """Return the partitions of each member."""
        return self.settled.by_member()


@dataclass(frozen=True)
class Story:
    """A group to be: which assignor, whether its members have racks, and the members' kinds, ``j``ava or ``n``ative."""

    strategy: str
    racks: bool
    kinds: str

    def __str__(self) -> str:
        return f"{self.strategy}-{self.kinds}-{'racks' if self.racks else 'no-racks'}"

    def play(self, java: JavaMembers, native: NativeMembers) -> list[Scene]:
        """Play it: the first member alone, two more, a fourth, one leaves, and one comes that reads other topics."""
        kinds = [java if kind == "j" else native for kind in self.kinds]
        members: dict[str, Member] = {}
        scenes = []
        for change, letters in (
            ("first", "a"),
            ("fresh", "bc"),
            ("joins", "d"),
            ("leaves", "b"),
            ("other", "e"),
        ):
            for letter in letters:
                client, place = f"{self}-{letter}", "abcde".index(letter)
                if client in members:
                    kinds[place].stop(client)
                    del members[client]
                    continue
                topics, rack = OTHER if letter == "e" else SAME, "abcab"[place] if self.racks else None
                kinds[place].start(client, str(self), self.strategy, topics, rack)
                members[client] = Member(client, topics, rack=rack)
            now = settled(java, str(self), members, lambda: java.held | native.held)
            scenes.append(self._scene(change, members, now, java))
            for client, member in members.items():
                owned = tuple(sorted(now.given[client]))
                members[client] = replace(member, owned=owned, generation=len(scenes))
        for client in members:
            kinds["abcde".index(client[-1])].stop(client)
        return scenes

    def _scene(self, change: str, members: dict[str, Member], now: Settled, java: JavaMembers) -> Scene:
        names = sorted({name for member in members.values() for name in member.topics})
        asked = tuple(replace(member, id=now.ids[client]) for client, member in members.items())
        runs = [*java.runs[str(self)]]
        return Scene(change, Group(tuple(map(topic, names)), asked), now, runs)
