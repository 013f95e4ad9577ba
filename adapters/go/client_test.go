package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A client of franz-go that leads a group of the same members gives what the adapter says it gives, with and without BalanceRacks.
func TestAClientThatLeadsGivesTheSame(t *testing.T) {
	var asked group
	if err := json.Unmarshal([]byte(`{
		"topics": [{"name": "t", "partitions": 7, "racks": [["a", "b"], ["b", "a"], ["a", "b"], ["a", "b"], ["b", "a"], ["a", "b"], ["a", "b"]]}],
		"members": [
			{"id": "m0", "topics": ["t"], "rack": "b", "owned": [["t", 0], ["t", 2], ["t", 3]], "generation": 3},
			{"id": "m1", "topics": ["t"], "rack": "a", "owned": [["t", 1], ["t", 4]], "generation": 3},
			{"id": "m2", "topics": ["t"], "rack": "a", "instance_id": "i"}
		]}`), &asked); err != nil {
		t.Fatal(err)
	}
	told := make(map[string]string)
	for _, each := range balancers {
		given, err := each.assign(asked)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(given)
		led, _ := json.Marshal(leading(t, each, asked))
		if !bytes.Equal(want, led) {
			t.Errorf("%s: the adapter gives %s, a client %s", each.name, want, led)
		}
		told[each.name] = string(want)
	}
	for _, name := range []string{"range", "sticky", "cooperative-sticky"} {
		if told[name] == told[name+"-racks"] {
			t.Errorf("%s: racks make no difference, so that the test shows nothing", name)
		}
	}
}

// leading starts a client on a cluster that has it lead a group of these members, and returns what it hands out.
func leading(t *testing.T, with balancer, asked group) map[string][]partition {
	cluster := kfake.MustCluster(kfake.NumBrokers(2), kfake.SeedTopics(asked.Topics[0].Partitions, "t"))
	defer cluster.Close()
	cluster.ControlKey(int16(kmsg.Metadata), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return metadata(t, cluster, request.GetVersion(), asked.Topics[0]), nil, true
	})
	cluster.ControlKey(int16(kmsg.JoinGroup), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		joined := kmsg.NewPtrJoinGroupResponse()
		joined.Version = request.GetVersion()
		joined.Generation, joined.MemberID, joined.LeaderID = 4, "m0", "m0"
		joined.ProtocolType, joined.Protocol = kmsg.StringPtr("consumer"), kmsg.StringPtr(with.kgo().ProtocolName())
		for _, each := range asked.Members {
			sent, err := joining(with.kgo(), each)
			if err != nil {
				return nil, err, true
			}
			of := kmsg.NewJoinGroupResponseMember()
			of.MemberID, of.InstanceID, of.ProtocolMetadata = each.ID, each.InstanceID, sent
			joined.Members = append(joined.Members, of)
		}
		return joined, nil, true
	})
	synced := make(chan *kmsg.SyncGroupRequest, 1)
	cluster.ControlKey(int16(kmsg.SyncGroup), func(request kmsg.Request) (kmsg.Response, error, bool) {
		synced <- request.(*kmsg.SyncGroupRequest)
		return nil, net.ErrClosed, true
	})
	options := []kgo.Opt{
		kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"), kgo.Balancers(with.kgo()), kgo.Rack("b"),
	}
	if with.racks {
		options = append(options, kgo.BalanceRacks())
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		t.Fatal(err)
	}
	given := make(map[string][]partition)
	select {
	case sync := <-synced:
		for _, each := range sync.GroupAssignment {
			topics, err := with.kgo().ParseSyncAssignment(each.MemberAssignment)
			if err != nil {
				t.Fatal(err)
			}
			given[each.MemberID] = inPairs(topics)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: the client hands out nothing", with.name)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	_ = client.LeaveGroupContext(ended) // the cluster answers it no more
	client.Close()
	return given
}

// metadata has two brokers, in the racks a and b, each of which leads the partitions whose first replica is in its rack.
func metadata(t *testing.T, cluster *kfake.Cluster, version int16, of topic) *kmsg.MetadataResponse {
	told := kmsg.NewPtrMetadataResponse()
	told.Version = version
	for node, address := range cluster.ListenAddrs() {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Error(err)
		}
		broker := kmsg.NewMetadataResponseBroker()
		number, _ := strconv.Atoi(port)
		broker.NodeID, broker.Host, broker.Port, broker.Rack = int32(node), host, int32(number), kmsg.StringPtr([]string{"a", "b"}[node])
		told.Brokers = append(told.Brokers, broker)
	}
	shown := kmsg.NewMetadataResponseTopic()
	shown.Topic, shown.TopicID = kmsg.StringPtr(of.Name), [16]byte{1}
	for number, racks := range of.Racks {
		partition := kmsg.NewMetadataResponseTopicPartition()
		partition.Partition = int32(number)
		if *racks[0] == "b" {
			partition.Leader = 1
		}
		partition.Replicas, partition.ISR = []int32{0, 1}, []int32{0, 1}
		shown.Partitions = append(shown.Partitions, partition)
	}
	told.Topics = append(told.Topics, shown)
	return told
}
