package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// balancer is one of franz-go's, with or without the client's option BalanceRacks.
type balancer struct {
	name     string
	kgo      func() kgo.GroupBalancer
	racks    bool
	promises promises
	except   exceptions
}

var balancers = []balancer{
	{"range", kgo.RangeBalancer, false, asRange, countedTwice},
	{"range-racks", kgo.RangeBalancer, true, rangeWithRacks, exceptions{"topic_balanced": {"repeated_topic"}}},
	{"roundrobin", kgo.RoundRobinBalancer, false, asRoundRobin, nil},
	{"sticky", kgo.StickyBalancer, false, slices.Concat(eager, promises{"balanced"}, sticky), silentOrOtherOwners},
	{"sticky-racks", kgo.StickyBalancer, true, slices.Concat(eager, promises{"balanced"}), silentOwners},
	{"cooperative-sticky", kgo.CooperativeStickyBalancer, false, slices.Concat(legal, promises{"cooperative"}, sticky), otherOwners},
	{"cooperative-sticky-racks", kgo.CooperativeStickyBalancer, true, slices.Concat(legal, promises{"cooperative"}), nil},
}

func named(name string) (balancer, bool) {
	at := slices.IndexFunc(balancers, func(each balancer) bool { return each.name == name })
	if at < 0 {
		return balancer{}, false
	}
	return balancers[at], true
}

// assign does what a client does that leads such a group: the members' metadata are made by the balancer itself and given the rack, the
// members are sorted, the balancer balances, and its answer is read as each member reads it.
func (b balancer) assign(asked group) (map[string][]partition, error) {
	made := b.kgo()
	members := make([]kmsg.JoinGroupResponseMember, 0, len(asked.Members))
	for _, each := range asked.Members {
		metadata, err := joining(made, each)
		if err != nil {
			return nil, err
		}
		joined := kmsg.NewJoinGroupResponseMember()
		joined.MemberID, joined.InstanceID, joined.ProtocolMetadata = each.ID, each.InstanceID, metadata
		members = append(members, joined)
	}
	slices.SortFunc(members, inOrder)
	balancing, read, err := made.MemberBalancer(members)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int32, len(read))
	for _, each := range asked.Topics {
		if _, wanted := read[each.Name]; wanted {
			counts[each.Name] = each.Partitions
		}
	}
	if b.racks {
		if err := withRacks(balancing, asked, counts); err != nil {
			return nil, err
		}
	}
	failing, ok := balancing.(kgo.GroupMemberBalancerOrError)
	if !ok {
		return nil, fmt.Errorf("%s: franz-go balances in another way than this adapter knows", b.name)
	}
	plan, err := failing.BalanceOrError(counts)
	if err != nil {
		return nil, err
	}
	given := make(map[string][]partition, len(members))
	for _, each := range plan.IntoSyncAssignment() {
		topics, err := made.ParseSyncAssignment(each.MemberAssignment)
		if err != nil {
			return nil, err
		}
		given[each.MemberID] = inPairs(topics)
	}
	return given, nil
}

// joining is what a member sends when it joins. The client lists its topics and claims in order and adds its rack; user data that the
// group states take the place of the balancer's.
func joining(made kgo.GroupBalancer, each member) ([]byte, error) {
	claims := make(map[string][]int32)
	for _, owned := range each.Owned {
		claims[owned.topic] = append(claims[owned.topic], owned.number)
	}
	for _, numbers := range claims {
		slices.Sort(numbers)
	}
	generation := int32(-1)
	if each.Generation != nil {
		generation = *each.Generation
	}
	sent := made.JoinGroupMetadata(slices.Sorted(slices.Values(each.Topics)), claims, generation)
	hasRack := each.Rack != nil && *each.Rack != ""
	if !hasRack && each.UserData == nil {
		return sent, nil
	}
	var metadata kmsg.ConsumerMemberMetadata
	if err := metadata.ReadFrom(sent); err != nil {
		return nil, err
	}
	if hasRack {
		metadata.Rack = each.Rack
	}
	if each.UserData != nil {
		metadata.UserData = each.UserData
	}
	return metadata.AppendTo(nil), nil
}

// inOrder is the order in which a client hands the members to its balancer: static ones first, by instance; all others by id.
func inOrder(one, other kmsg.JoinGroupResponseMember) int {
	switch {
	case one.InstanceID != nil && other.InstanceID != nil:
		return strings.Compare(*one.InstanceID, *other.InstanceID)
	case one.InstanceID != nil:
		return -1
	case other.InstanceID != nil:
		return 1
	}
	return strings.Compare(one.MemberID, other.MemberID)
}

// withRacks tells a balancer the racks of the partitions' leaders and that BalanceRacks is set, as the client does where a member has a rack
// and some leader too. franz-go offers no call for it, so its two fields are set here.
func withRacks(balancing kgo.GroupMemberBalancer, asked group, counts map[string]int32) error {
	racks := make(map[string][]string, len(counts))
	known := false
	for _, each := range asked.Topics {
		if _, wanted := counts[each.Name]; !wanted {
			continue
		}
		leaders := make([]string, each.Partitions)
		for number, replicas := range each.Racks {
			if len(replicas) > 0 && replicas[0] != nil {
				leaders[number] = *replicas[0]
				known = known || leaders[number] != ""
			}
		}
		racks[each.Name] = leaders
	}
	if !known || !slices.ContainsFunc(asked.Members, func(each member) bool { return each.Rack != nil && *each.Rack != "" }) {
		racks = nil
	}
	consumers, ok := balancing.(*kgo.ConsumerBalancer)
	if !ok {
		return fmt.Errorf("franz-go has another balancer than this adapter knows: %T", balancing)
	}
	if err := set(consumers, "partitionRacks", racks); err != nil {
		return err
	}
	return set(consumers, "balanceRacks", true)
}

func set[T any](consumers *kgo.ConsumerBalancer, name string, value T) error {
	field := reflect.ValueOf(consumers).Elem().FieldByName(name)
	if !field.IsValid() || field.Type() != reflect.TypeFor[T]() {
		return fmt.Errorf("kgo.ConsumerBalancer has no field %s of type %T in this release; build with the one in go.mod", name, value)
	}
	*(*T)(field.Addr().UnsafePointer()) = value
	return nil
}

func inPairs(topics map[string][]int32) []partition {
	names := make([]string, 0, len(topics))
	for name := range topics {
		names = append(names, name)
	}
	slices.Sort(names)
	given := []partition{}
	for _, name := range names {
		for _, number := range topics[name] {
			given = append(given, partition{name, number})
		}
	}
	return given
}
