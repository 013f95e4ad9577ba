"""What all references of the streams family promise, names of properties; each adds its own."""

COMMON = frozenset(
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
