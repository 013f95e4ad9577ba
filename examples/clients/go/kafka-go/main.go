// Command kafka-go: a consumer of github.com/segmentio/kafka-go.
package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

func main() {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:          []string{os.Getenv("KASSAY_BOOTSTRAP")},
		GroupID:          os.Getenv("KASSAY_GROUP"),
		GroupTopics:      strings.Split(os.Getenv("KASSAY_TOPICS"), ","),
		GroupBalancers:   []kafka.GroupBalancer{kafka.RangeGroupBalancer{}},
		JoinGroupBackoff: time.Millisecond,
	})
	for {
		_, _ = reader.FetchMessage(context.Background()) // joins and joins again behind the scenes
	}
}
