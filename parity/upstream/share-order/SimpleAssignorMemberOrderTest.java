package org.apache.kafka.coordinator.group.assignor;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class SimpleAssignorMemberOrderTest {
    private static final Uuid TOPIC = new Uuid(0, 1);

    @Test
    public void testUnchangedGroupKeepsItsAssignmentInAnyOrder() {
        Map<String, Map<Uuid, Set<Integer>>> first = assign(List.of("m0", "m1"), Map.of());

        assertEquals(first, assign(List.of("m1", "m0"), first));
    }

    private static Map<String, Map<Uuid, Set<Integer>>> assign(List<String> memberIds, Map<String, Map<Uuid, Set<Integer>>> owned) {
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        memberIds.forEach(memberId -> members.put(memberId, new MemberSubscriptionAndAssignmentImpl(
            Optional.empty(), Optional.empty(), Set.of(TOPIC), new Assignment(owned.getOrDefault(memberId, Map.of())))));
        Map<String, MemberAssignment> assignment = new SimpleAssignor().assign(
            new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, Map.of()), new ThreePartitions()).members();
        Map<String, Map<Uuid, Set<Integer>>> partitions = new HashMap<>();
        assignment.forEach((memberId, member) -> partitions.put(memberId, Map.copyOf(member.partitions())));
        return partitions;
    }

    private static class ThreePartitions implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topicId) {
            return 3;
        }

        @Override
        public Set<String> racksForPartition(Uuid topicId, int partition) {
            return Set.of();
        }
    }
}
