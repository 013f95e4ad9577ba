package org.apache.kafka.coordinator.group.assignor;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
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

public class SimpleAssignorUnassignableTest {
    private static final Uuid TOPIC = new Uuid(0, 1);

    @Test
    public void testUnassignablePartitionIsRevoked() {
        GroupAssignment assignment = assign(Map.of("m0", member(Map.of(TOPIC, Set.of(1)))), Set.of(0));

        assertEquals(Map.of(TOPIC, Set.of(0)), assignment.members().get("m0").partitions());
    }

    @Test
    public void testSecondMemberOfAnUnassignablePartition() {
        // NoSuchElementException
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        members.put("m0", member(Map.of(TOPIC, Set.of(0))));
        members.put("m1", member(Map.of()));

        GroupAssignment assignment = assign(members, Set.of(1));

        for (String memberId : members.keySet())
            assertEquals(Map.of(TOPIC, Set.of(1)), assignment.members().get(memberId).partitions(), memberId);
    }

    private static GroupAssignment assign(Map<String, MemberSubscriptionAndAssignmentImpl> members, Set<Integer> assignable) {
        return new SimpleAssignor().assign(
            new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, Map.of(), Optional.of(Map.of(TOPIC, assignable))),
            new TwoPartitions());
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
