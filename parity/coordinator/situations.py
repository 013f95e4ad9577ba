"""Short sequences with names in which proposal and Kafka need not differ: what every coordinator has to get right, for fixtures/group.json."""

from typing import Any

from named import CHANGED, SETTINGS, Action, ask, fail_over, form, wait, written

LONG = {"session": 45_000}
"""Sessions that outlive the time for a rebalance."""
SAFE = {"version": 3}
"""A JoinGroup so old that no id is asked for first."""


def strategies(*names: str) -> dict[str, Any]:
    """Return what a member joins with that prefers strategies in this order."""
    return {"protocols": [[name, "m"] for name in names], **SAFE}


def leaving(*names: dict[str, Any]) -> Action:
    """Let several members leave in one request."""
    return ask("leave", None, members=[{"who": 0, "instance": None, "own": False, **name} for name in names])


def first(**more: Any) -> Action:
    """Let a member join in one request."""
    return ask("join", None, **SAFE | more)


def again(who: str | int, **more: Any) -> Action:
    """Let a member join again."""
    return ask("join", who, own=not isinstance(who, int), **more)


BY_ACTIONS: dict[str, list[Action]] = {
    "a follower leaves a stable group: the leader learns of it by its heartbeat and goes on alone": [
        form(), ask("leave"), ask("heartbeat", "leader"), again("leader"), ask("sync", "leader"), ask("heartbeat", "leader"),
    ],
    "the leader leaves a stable group, and the other one leads": [
        form(), ask("leave", "leader"), ask("heartbeat", 1, own=False), again(1), ask("sync", "leader"),
    ],
    "a member that waits for the others longer than its session lasts stays": [
        form(), again("follower", **CHANGED), wait(5_000), ask("heartbeat", "leader"), wait(5_000), ask("heartbeat", "leader"),
        wait(5_000), again("leader"), ask("sync", "leader"),
    ],
    "a static member that does not join again in time keeps its place": [
        form(static=True, **LONG), again("leader", **CHANGED, **LONG), wait(20_000), ask("sync", "leader"), ask("heartbeat", 1, own=False, instance="j"),
    ],
    "a dynamic member that does not join again in time loses its place": [
        form(**LONG), again("leader", **CHANGED, **LONG), wait(20_000), ask("sync", "leader"), ask("heartbeat", 1, own=False),
    ],
    "the leader's states are written after another member has joined: nobody is given them": [
        form(until="AwaitSync"), ask("sync"), ask("sync", "leader", outcome="later"), first(), written(),
        ask("heartbeat", 0, own=False), ask("heartbeat", 1, own=False),
    ],
    "a member that sends no heartbeat is dropped when its session ends": [
        form(), wait(5_000), ask("heartbeat", "leader"), wait(6_000), ask("heartbeat", "leader"), again("leader"),
        ask("heartbeat", 1, own=False), ask("sync", "leader"),
    ],
    "a commit keeps a session alive": [
        form(), wait(6_000), ask("commit", "leader"), ask("commit"), wait(6_000), ask("heartbeat", "leader"), ask("heartbeat"),
    ],
    "who is no member asks": [
        form(1), ask("heartbeat", 9, own=False), ask("sync", 9, own=False), ask("commit", 9, own=False), ask("join", 9, own=False),
        leaving({"who": 9}),
    ],
    "members ask in a generation before the group's": [
        form(), ask("heartbeat", generation=-1), ask("sync", generation=-1), ask("commit", generation=-1), ask("heartbeat"),
    ],
    "members ask in a generation after the group's": [
        form(), ask("heartbeat", generation=1), ask("sync", generation=1), ask("commit", generation=1), ask("heartbeat"),
    ],
    "a member joins that supports no strategy that all support": [form(), first(protocols=[["other", "m"]]), ask("heartbeat")],
    "a member joins a group of another kind": [form(), first(type="connect"), ask("heartbeat")],
    "a member joins an empty group without a strategy": [form(0), first(protocols=[])],
    "the only strategy that all support is chosen": [
        form(0), first(**strategies("range", "sticky")), first(**strategies("sticky")), wait(6_000), ask("sync", "leader"),
    ],
    "each member votes for the strategy that it prefers, and most votes win": [
        form(0), first(**strategies("range", "sticky")), first(**strategies("sticky", "range")), first(**strategies("sticky", "range")),
        wait(9_000), ask("sync", "leader"), ask("sync", 1, own=False),
    ],
    "a member counts no strategy that another one lacks": [
        form(0), first(**strategies("range", "sticky")), first(**strategies("range", "sticky")), first(**strategies("cooperative", "sticky")), wait(9_000),
    ],
    "the delay of a new group begins anew with each member that joins": [
        form(0), first(), wait(2_000), first(), wait(2_000), wait(4_000), ask("sync", "leader"),
    ],
    "a member that joins again while it waits is answered once": [
        form(), again("follower", **CHANGED), again("follower", **CHANGED), again("leader"),
    ],
    "a follower joins again with other topics: the leader is told, and is given the new ones": [
        form(), again("follower", **CHANGED), ask("heartbeat", "leader"), again("leader"), ask("sync", "leader"), ask("sync"),
    ],
    "the leader joins again with nothing changed: the group rebalances": [
        form(), again("leader"), ask("heartbeat"), again("follower"), ask("sync", "leader"), ask("sync"),
    ],
    "an id that was given is not used in time": [form(0), ask("join", None), wait(10_000), ask("join", 0, own=False)],
    "who was given an id leaves before it joins": [form(1), ask("join", None), leaving({"who": 1}), ask("heartbeat", "leader")],
    "who does not synchronise in time is dropped": [
        form(until="AwaitSync", **LONG), ask("sync", "leader"), wait(20_000), ask("heartbeat", "leader"), ask("heartbeat", 1, own=False),
    ],
    "a static process whose place another has taken is fenced, whatever it asks": [
        form(static=True), ask("join", None, instance="j"), ask("heartbeat", 1, own=False, instance="j"), ask("sync", 1, own=False, instance="j"),
        ask("commit", 1, own=False, instance="j"), ask("join", 1, own=False, instance="j"), leaving({"who": 1, "instance": "j"}),
        ask("heartbeat", 2, own=False, instance="j"),
    ],
    "an instance id that nobody has": [form(), ask("heartbeat", 0, own=False, instance="j"), ask("sync", 0, own=False, instance="j")],
    "a static member leaves by its instance id alone": [
        form(static=True), leaving({"who": None, "instance": "j"}), ask("heartbeat", "leader"),
    ],
    "two members leave in one request, one of whom nobody knows": [
        form(), leaving({"who": 1}, {"who": 9}), ask("heartbeat", "leader"),
    ],
    "all members leave: what nobody is a member of may be committed to from outside": [
        form(), leaving({"who": 1}, {"who": 0}), ask("heartbeat", 0, own=False), ask("commit", None, generation=None),
    ],
    "a commit from outside into a group with members": [form(1), ask("commit", None, generation=None)],
    "commits while the group rebalances: taken in the join phase, refused while states are awaited": [
        form(), again("follower", **CHANGED), ask("commit", "leader"), again("leader"), ask("commit", "leader"), ask("sync", "leader"),
        ask("commit", "leader"),
    ],
    "a synchronisation in the join phase is told to join again": [form(), again("follower", **CHANGED), ask("sync", "leader")],
    "a follower waits for the leader's states, and the leader's session ends": [
        form(until="AwaitSync"), wait(1_000), ask("heartbeat"), ask("sync"), wait(9_000), again(1), ask("sync", 1, own=False),
    ],
    "the log refuses the leader's states, for lack of replicas": [
        form(until="AwaitSync"), ask("sync"), ask("sync", "leader", outcome="NOT_ENOUGH_REPLICAS"), ask("heartbeat"), ask("commit"),
    ],
    "the log refuses the leader's states, as they are too large": [
        form(until="AwaitSync"), ask("sync"), ask("sync", "leader", outcome="MESSAGE_TOO_LARGE"), ask("heartbeat"),
    ],
    "the node fails in a stable group: members go on as they are": [
        form(), fail_over(), ask("heartbeat", "leader"), ask("heartbeat"), ask("commit"), ask("sync"),
    ],
    "the coordinator is moved in the join phase: who waits is told to look for it": [
        form(), again("follower", **CHANGED), {"do": "fail over", "crashes": False, "kept": 0, "outcome": "now"}, ask("heartbeat", "leader"),
    ],
    "the node fails before the leader's states are written": [
        form(until="AwaitSync"), ask("sync"), ask("sync", "leader", outcome="later"), fail_over(), ask("heartbeat", 0, own=False),
    ],
    "three members, one of whom leaves while states are awaited": [
        form(3, until="AwaitSync"), ask("sync", 1, own=False), leaving({"who": 2}), ask("heartbeat", "leader"), again("leader"), again(1),
    ],
    "a static follower comes back in a stable group, and may skip assigning": [
        form(static=True), ask("join", None, instance="j"), ask("sync", 2, own=False, instance="j"), ask("heartbeat", "leader"),
    ],
    "a static leader comes back in a stable group, and may skip assigning": [
        form(static=True), ask("join", None, instance="i"), ask("sync", 2, own=False, instance="i"), ask("heartbeat", 1, own=False, instance="j"),
    ],
    "a static follower comes back with other metadata: nobody is told": [
        form(static=True), ask("join", None, instance="j", **CHANGED), ask("sync", 2, own=False, instance="j"), ask("heartbeat", "leader"),
    ],
}  # fmt: skip
"""What happens -> the actions, under the usual settings."""
SITUATIONS: dict[str, dict[str, Any]] = {
    **{name: {"settings": SETTINGS, "actions": actions} for name, actions in BY_ACTIONS.items()},
    "a member joins a full group": {
        "settings": {"delay": 3_000, "max": 2},
        "actions": [form(), first(), ask("heartbeat")],
    },
    "without a delay a new group has its generation at once": {
        "settings": {"delay": 0, "max": None},
        "actions": [form(0), first(), wait(0), ask("sync", "leader"), first(), ask("heartbeat", "leader"), again("leader")],
    },
}  # fmt: skip
