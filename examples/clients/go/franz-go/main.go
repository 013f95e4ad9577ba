// Command franz-go: a consumer of github.com/twmb/franz-go; the balancer is its argument.
package main

import (
	"context"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	balancers := map[string]kgo.GroupBalancer{
		"range": kgo.RangeBalancer(), "roundrobin": kgo.RoundRobinBalancer(),
		"sticky": kgo.StickyBalancer(), "cooperative-sticky": kgo.CooperativeStickyBalancer(),
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(os.Getenv("KASSAY_BOOTSTRAP")),
		kgo.ConsumerGroup(os.Getenv("KASSAY_GROUP")),
		kgo.ConsumeTopics(strings.Split(os.Getenv("KASSAY_TOPICS"), ",")...),
		kgo.Balancers(balancers[os.Args[1]]),
	)
	if err != nil {
		panic(err)
	}
	for {
		client.PollFetches(context.Background())
	}
}
