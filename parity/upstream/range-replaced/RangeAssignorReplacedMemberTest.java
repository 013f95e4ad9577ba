package org.apache.kafka.coordinator.group.assignor;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class RangeAssignorReplacedMemberTest {
    private static final Uuid TOPIC = new Uuid(0, 1);

    @Test
    public void testOtherMemberKeepsItsPartition() {
        // m0 had partition 0 and has left; m2 takes its place
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        members.put("m1", member(Map.of(TOPIC, Set.of(1))));
        members.put("m2", member(Map.of()));

        Map<String, MemberAssignment> assignment = new RangeAssignor().assign(
            new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, Map.of(TOPIC, Map.of(1, "m1"))), new TwoPartitions()).members();

        assertEquals(Set.of(1), Set.copyOf(assignment.get("m1").partitions().get(TOPIC)));
    }

    private static MemberSubscriptionAndAssignmentImpl member(Map<Uuid, Set<Integer>> owned) {
        return new MemberSubscriptionAndAssignmentImpl(Optional.empty(), Optional.empty(), Set.of(TOPIC), new Assignment(owned));
    }

    private static class TwoPartitions implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topicId) {
            return 2;
        }

        @Override
        public Set<String> racksForPartition(Uuid topicId, int partition) {
            return Set.of();
        }
    }
}
