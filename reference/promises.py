"""Promises that many assignors make together, as sets of names of properties: an assignor joins them, and adds its own.

>>> sorted(SOUND | {"exclusive"})
['crash_free', 'deterministic', 'exclusive']
"""

VALID = frozenset({"complete", "exclusive", "subscribed", "existing", "every_member"})
"""Each partition goes to one member that subscribes to its topic, and every member is answered."""
EVEN = frozenset({"balanced", "locally_balanced"})
"""Loads are as even as they can be, and no single move would make them more even."""
ORDER_FREE = frozenset(
    {
        "member_order_independent",
        "topic_order_independent",
        "claim_order_independent",
        "renaming_independent",
    }
)
"""In which order anything is listed, and what members are called, makes no difference."""
SOUND = frozenset({"crash_free", "deterministic"})
"""It answers every group, and the same one alike."""
STEADY = frozenset({"stable", "settling"})
"""If nothing changes, nothing moves, and the group converges."""
COMMON_TO_TASK_ASSIGNORS = frozenset(
    {
        "complete",
        "exclusive",
        "existing",
        "every_client",
        "stateful_standbys",
        "one_copy_per_client",
        "crash_free",
        "deterministic",
        "enough_standbys",
        "warm_ups_limited",
        "warm_ups_needed",
        "idle_settings_ignored",
    }
)
"""All references of the streams family promise this; each adds its own."""
