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

public class SimpleAssignorSharingTest {
    private static final Uuid TOPIC = new Uuid(0, 1);

    @Test
    public void testEachPartitionIsSharedByTwoMembers() {
        // 4 members and 3 partitions: each partition has 2 members
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        members.put("m0", member(Set.of(0)));
        members.put("m1", member(Set.of()));
        members.put("m2", member(Set.of()));
        members.put("m3", member(Set.of(1)));

        GroupAssignment assignment = new SimpleAssignor().assign(
            new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, Map.of()), new ThreePartitions());

        for (int partition = 0; partition < 3; partition++) {
            int number = partition;
            long sharing = assignment.members().values().stream()
                .filter(member -> member.partitions().getOrDefault(TOPIC, Set.of()).contains(number)).count();
            assertEquals(2, sharing, "partition " + partition + " of " + assignment);
        }
    }

    private static MemberSubscriptionAndAssignmentImpl member(Set<Integer> owned) {
        return new MemberSubscriptionAndAssignmentImpl(
            Optional.empty(), Optional.empty(), Set.of(TOPIC), new Assignment(owned.isEmpty() ? Map.of() : Map.of(TOPIC, owned)));
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
