package main

// What each balancer is held to, in kassay's names (kassay list): what franz-go's text says of it, or what any assignor must keep.
var (
	legal = []string{"exclusive", "subscribed", "existing", "every_member", "crash_free", "deterministic", "settling"}
	eager = append([]string{"complete"}, legal...)
	// "... keeps partitions where they were", "ensures minimal partition movement ... while also ensuring optimal balancing" (StickyBalancer),
	// "exactly optimal on balance, then rack placement (with BalanceRacks), then stickiness" (CHANGELOG.md, v1.22.0).
	balanced    = []string{"balanced"}
	stable      = []string{"stable"}
	cooperative = []string{"cooperative"}
)
