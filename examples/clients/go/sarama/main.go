// Command sarama: a consumer of github.com/IBM/sarama.
package main

import (
	"context"
	"os"
	"strings"

	"github.com/IBM/sarama"
)

type handler struct{}

func (handler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (handler) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (handler) ConsumeClaim(session sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim) error {
	<-session.Context().Done()
	return nil
}
func main() {
	config := sarama.NewConfig()
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{sarama.NewBalanceStrategyRange()}
	config.Consumer.Group.Rebalance.Retry.Max = 1e9                                         // it joins again within one call of Consume
	config.Consumer.Group.Rebalance.Retry.Backoff, config.Metadata.Retry.Backoff = 1e6, 1e6 // nanoseconds
	group, err := sarama.NewConsumerGroup([]string{os.Getenv("KASSAY_BOOTSTRAP")}, os.Getenv("KASSAY_GROUP"), config)
	for err == nil { // each error of Consume is one of a group that is over
		_ = group.Consume(context.Background(), strings.Split(os.Getenv("KASSAY_TOPICS"), ","), handler{})
	}
	panic(err)
}
