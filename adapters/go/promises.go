package main

import "slices"

// promises are what a balancer is held to, and exceptions the situations in which one of these is known to be broken, in kassay's
// names (`kassay list`).
type promises []string
type exceptions map[string][]string

// What any balancer must keep. The plan of the sticky ones depends on the order in which Go walks through maps, and franz-go does not say
// that it does not: only the others promise to be deterministic.
var legal = promises{"exclusive", "subscribed", "existing", "every_member", "crash_free", "settling", "stable", "two_rounds", "static_identity"}
var eager = slices.Concat(promises{"complete"}, legal)

// "Equivalent to the Java range balancer", "equivalent to the Java roundrobin balancer" (kgo.RangeBalancer, kgo.RoundRobinBalancer).
// But a member that lists a topic twice counts twice for range.
var asRange = slices.Concat(eager, promises{"deterministic", "topic_balanced", "co_located"})
var rangeWithRacks = slices.Concat(eager, promises{"deterministic", "topic_balanced"})
var countedTwice = exceptions{"topic_balanced": {"repeated_topic"}, "co_located": {"repeated_topic"}}
var asRoundRobin = slices.Concat(eager, promises{"deterministic", "topic_balanced"})

// "Exactly optimal on balance, then rack placement (with BalanceRacks), then stickiness" (CHANGELOG.md, v1.22.0). Where two members claim one
// partition, franz-go may count another one as its owner than kassay does: docs/results/scoreboard.md.
var sticky = promises{"leaver_minimal", "moves_optimal"}
var otherOwners = exceptions{"moves_optimal": {"double_claim", "overruled_claim"}}

// The eager ones know what members own by the user data that they send themselves. Where the group states other user data, these count, and
// what members own without a trace in them is not known: kassay's consumer/sticky breaks the same promises there.
var silentOwners = exceptions{"stable": {"user_data"}, "settling": {"user_data"}, "static_identity": {"user_data"}}
var silentOrOtherOwners = exceptions{
	"stable": {"user_data"}, "settling": {"user_data"}, "static_identity": {"user_data"}, "leaver_minimal": {"user_data"},
	"moves_optimal": {"double_claim", "overruled_claim", "user_data"},
}
