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
    @Test
    public void testEachPartitionIsSharedByTwoMembers() {
        // the order of a hash map decides, so several topic ids are tried
        for (int id = 1; id <= 100; id++)
            assertTwoMembersForEachPartition(new Uuid(0, id * 0x9E3779B97F4A7C15L));
    }

    private static void assertTwoMembersForEachPartition(Uuid topic) {
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        members.put("m0", member(topic, Set.of(0)));
        members.put("m1", member(topic, Set.of()));
        members.put("m2", member(topic, Set.of()));
        members.put("m3", member(topic, Set.of(1)));

        GroupAssignment assignment = new SimpleAssignor().assign(
            new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, Map.of()), new ThreePartitions());

        for (int partition = 0; partition < 3; partition++) {
            int number = partition;
            long sharing = assignment.members().values().stream()
                .filter(member -> member.partitions().getOrDefault(topic, Set.of()).contains(number)).count();
            assertEquals(2, sharing, "partition " + partition + " of " + assignment);
        }
    }

    private static MemberSubscriptionAndAssignmentImpl member(Uuid topic, Set<Integer> owned) {
        return new MemberSubscriptionAndAssignmentImpl(
            Optional.empty(), Optional.empty(), Set.of(topic), new Assignment(owned.isEmpty() ? Map.of() : Map.of(topic, owned)));
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
