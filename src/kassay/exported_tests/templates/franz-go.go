package assignor

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type member struct {
	id         string
	topics     []string
	owned      []string
	generation int32
	instance   string
	rack       string
}

func Test@NAME@(t *testing.T) {
@BODY@
}

// assign returns what the leader gives each member: the names of partitions, such as t0-0.
func assign(partitions map[string]int32, members []member) (answer map[string][]string, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	balancer := kgo.@ASSIGNOR@()
	var joined []kmsg.JoinGroupResponseMember
	for _, each := range members {
		owned := map[string][]int32{}
		for _, name := range each.owned {
			at := strings.LastIndex(name, "-")
			number, err := strconv.Atoi(name[at+1:])
			if err != nil {
				return nil, err
			}
			owned[name[:at]] = append(owned[name[:at]], int32(number))
		}
		for _, numbers := range owned {
			slices.Sort(numbers)
		}
		sent := balancer.JoinGroupMetadata(slices.Sorted(slices.Values(each.topics)), owned, each.generation)
		one := kmsg.NewJoinGroupResponseMember()
		one.MemberID, one.ProtocolMetadata = each.id, sent
		if each.instance != "" {
			one.InstanceID = kmsg.StringPtr(each.instance)
		}
		if each.rack != "" {
			var metadata kmsg.ConsumerMemberMetadata
			if err := metadata.ReadFrom(sent); err != nil {
				return nil, err
			}
			metadata.Rack = kmsg.StringPtr(each.rack)
			one.ProtocolMetadata = metadata.AppendTo(nil)
		}
		joined = append(joined, one)
	}
	// as the client sorts them: static members first, by instance
	key := func(one kmsg.JoinGroupResponseMember) string {
		if one.InstanceID != nil {
			return "0" + *one.InstanceID
		}
		return "1" + one.MemberID
	}
	sort.SliceStable(joined, func(one, other int) bool { return key(joined[one]) < key(joined[other]) })
	balancing, read, err := balancer.MemberBalancer(joined)
	if err != nil {
		return nil, err
	}
	counts := map[string]int32{}
	for topic, count := range partitions {
		if _, wanted := read[topic]; wanted {
			counts[topic] = count
		}
	}
	plan, err := balancing.(kgo.GroupMemberBalancerOrError).BalanceOrError(counts)
	if err != nil {
		return nil, err
	}
	answer = map[string][]string{}
	for _, each := range plan.IntoSyncAssignment() {
		given, err := balancer.ParseSyncAssignment(each.MemberAssignment)
		if err != nil {
			return nil, err
		}
		answer[each.MemberID] = []string{}
		for topic, numbers := range given {
			for _, number := range numbers {
				answer[each.MemberID] = append(answer[each.MemberID], fmt.Sprintf("%s-%d", topic, number))
			}
		}
		slices.Sort(answer[each.MemberID])
	}
	return answer, nil
}
@HELPERS@
