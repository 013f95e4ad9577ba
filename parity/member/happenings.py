"""What happens to a member, by chance, so that it depends on what the member has asked for."""

import random
from typing import Any

from kassay.protocol.simulation.standalone_member import TICK_MS, TIMES, StandaloneMember, write_partition
from kassay.reference.group.member.generation import IN_GENERATION

ERRORS = {
    "find": (15, 14),
    "join": (79, 14, 15, 16, 16, 25, 25, 27, 27, 14, 22, 23, 24, 26, 81, 82, -1),
    "sync": (14, 15, 16, 16, 22, 22, 25, 25, 27, 27, 27, 82, -1),
    "heartbeat": (27, 27, 27, 27, 15, 16, 22, 22, 25, 82),
    "commit": (12, 14, 15, 16, 22, 25, 27, 27, 82, -1),
}
ID_REQUIRED, UNKNOWN, FENCED, MOVED = 79, 25, 82, (15, 16)
LOST = (22, 25)
CLUSTERS = ({"t": 3, "u": 2}, {"t": 4, "u": 2}, {"t": 3, "u": 1}, {"t": 2, "u": 2, "v": 1}, {"t": 3})
SUBSCRIPTIONS = (["t"], ["t", "u"], ["u"], ["t", "u", "v"])


def settings(rng: random.Random) -> dict[str, Any]:
    """Draw what a member is set up with."""
    return {
        **TIMES,
        "instance": rng.choice((None, None, "i")),
        "cooperative": rng.random() < 0.5,
        "topics": dict(rng.choice(CLUSTERS[:2])),
    }


class Happenings:
    """Draws what happens next to a member."""

    def __init__(self, rng: random.Random, alone: StandaloneMember, most: int):
        """Begin with a member that has not started; `most` things happen to it."""
        self.rng, self.alone, self.most = rng, alone, most
        self.generation, self.ids = rng.choice((0, 0, 7)), 0
        self.troubled = rng.choice((0.05, 0.2, 0.4))

    def __iter__(self) -> Any:
        """Yield one after another, until the member has failed or is closed."""
        rng, alone = self.rng, self.alone
        yield {"do": "begin", "topics": rng.choice(SUBSCRIPTIONS[:2])}
        for _ in range(self.most):
            if alone.failure is not None:
                return
            yield self.next()
        if alone.failure is None and not alone.member.stalled:
            yield {"do": "close"}

    def next(self) -> dict[str, Any]:
        """Draw one."""
        rng, alone = self.rng, self.alone
        if alone.member.stalled and alone.member.phase not in IN_GENERATION:
            # Nobody polls and no heartbeat is sent: nobody hears anything.
            return {"do": "resume" if alone.has_timed_out() or rng.random() < 0.4 else "wait"}
        if alone.has_timed_out():
            return {"do": "resume" if alone.member.stalled else "break"}
        if alone.find_age("heartbeat") >= TIMES["heartbeat"] - TICK_MS:
            return self.answer("heartbeat")  # Kafka's would send another one
        if alone.member.waits and alone.member.phase not in IN_GENERATION:
            return {"do": "wait"}  # it sleeps, and no heartbeat is sent
        kinds = alone.list_open_kinds()
        if alone.member.stalled:
            # What fails then is taken up when it polls again; where the coordinator is, is asked every other time.
            kinds = [
                kind
                for kind in kinds
                if kind != "sync" and (kind != "find" or alone.find_age(kind) >= TICK_MS)
            ]
        if kinds and rng.random() < 0.6:
            return self.answer(rng.choice(kinds))
        return self.done()

    def done(self) -> dict[str, Any]:
        """Draw what the application does, or nothing but time passing."""
        rng, alone = self.rng, self.alone
        what = rng.choices(
            ("wait", "commit", "subscribe", "cluster", "stall", "break"), (60, 10, 5, 6, 5, 3)
        )[0]
        member = alone.member
        if what == "stall" and not member.waits:
            return {"do": "resume" if member.stalled else "stall"}
        if member.stalled and rng.random() < 0.15:
            return {"do": "resume"}
        if (
            member.stalled
            or (what == "stall" and member.waits)
            or (what == "commit" and (not member.owned or member.node is None))
        ):
            return {"do": "wait"}
        if what == "commit":
            owned = sorted(map(write_partition, member.owned))
            return {"do": "commit", "items": rng.sample(owned, rng.randint(1, len(owned)))}
        if what == "subscribe":
            return {"do": "subscribe", "topics": rng.choice(SUBSCRIPTIONS)}
        if what == "cluster" and member.phase == "Stable" and member.node is not None:
            return {"do": "cluster", "topics": rng.choice(CLUSTERS)}
        return {"do": "wait" if what == "cluster" else what}

    def answer(self, kind: str) -> dict[str, Any]:
        """Draw an answer to a request."""
        rng, member = self.rng, self.alone.member
        error = rng.choice(ERRORS[kind]) if rng.random() < self.troubled else 0
        if member.stalled and (
            error == FENCED or (error in MOVED and "sync" in self.alone.list_open_kinds())
        ):
            error = 0  # what fails meanwhile shows when it polls again
        if kind == "commit" and error in LOST and member.phase != "Joining" and not self._commits_now():
            error = 0
        if kind == "join" and error and not member.member_id and rng.random() < 0.6:
            error = ID_REQUIRED
        if member.member_id and error == ID_REQUIRED:
            error = UNKNOWN
        asked = {"do": "answer", "kind": kind, "error": error}
        if kind == "join":
            return asked | self._joined(error)
        if kind == "sync":
            return asked | self._synced()
        return asked

    def _commits_now(self) -> bool:
        member = self.alone.member
        _, request = self.alone.find_newest("commit")
        return (request.generation, request.member_id) == (member.generation, member.member_id)

    def _joined(self, error: int) -> dict[str, Any]:
        rng, member = self.rng, self.alone.member
        _, request = self.alone.find_newest("join")
        name = request.member_id
        if not name or error == ID_REQUIRED:
            self.ids += 1
            name = f"m{self.ids}"
        if error:
            return {
                "generation": -1, "member": name if error == ID_REQUIRED else request.member_id, "leader": "", "type": None,
                "protocol": None, "skip": False, "members": [],
            }  # fmt: skip
        self.generation += rng.choice((1, 1, 1, 2))
        leads = rng.random() < 0.5
        members = [[name, member.config.instance_id, [], [], None]]
        for number in range(rng.choice((0, 0, 1, 2))):
            partitions = [f"{topic}-{one}" for topic, count in CLUSTERS[0].items() for one in range(count)]
            owned = rng.sample(partitions, rng.randint(0, 2)) if self.alone.cooperative else []
            members.append(
                [f"{rng.choice('az')}{number}", None, rng.choice(SUBSCRIPTIONS[:3]), owned, self.generation - 1 if owned else None]
            )  # fmt: skip
        skips = leads and member.config.instance_id is not None and rng.random() < 0.3
        return {
            "generation": self.generation, "member": name, "leader": name if leads else "other",
            "type": rng.choice(("consumer", None)), "protocol": request.protocols[0].name, "skip": skips,
            "members": members if leads else [],
        }  # fmt: skip

    def _synced(self) -> dict[str, Any]:
        rng, member = self.rng, self.alone.member
        _, request = self.alone.find_newest("sync")
        given = dict(request.states).get(request.member_id)
        if given is not None and rng.random() < 0.9:
            state = sorted(map(write_partition, given.partitions))
        else:
            topics = {topic.name: topic.partitions for topic in member.cluster}
            partitions = [
                f"{name}-{one}"
                for name in rng.choice(SUBSCRIPTIONS[:2])
                for one in range(topics.get(name, 0))
            ]
            state = rng.sample(partitions, rng.randint(0, len(partitions)))
        return {
            "type": "consumer",
            "protocol": rng.choice((request.protocol, request.protocol, None)),
            "state": state,
        }
