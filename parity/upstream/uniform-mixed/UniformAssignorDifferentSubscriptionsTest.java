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

import static org.junit.jupiter.api.Assertions.assertTrue;

public class UniformAssignorDifferentSubscriptionsTest {
    private static final Uuid T0 = new Uuid(0, 1);
    private static final Uuid T1 = new Uuid(0, 2);

    @Test
    public void testEachMemberHasTwoPartitions() {
        // two partitions for each member: t1-0, t1-1 | t1-2, t0-0 | t0-1, t0-2
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new LinkedHashMap<>();
        members.put("m0", member(Set.of(T1)));
        members.put("m1", member(Set.of(T0, T1)));
        members.put("m2", member(Set.of(T0)));

        Map<String, MemberAssignment> assignment = new UniformAssignor().assign(
            new GroupSpecImpl(members, SubscriptionType.HETEROGENEOUS, Map.of()), new ThreePartitions()).members();

        for (MemberAssignment member : assignment.values())
            assertTrue(member.partitions().values().stream().mapToInt(Set::size).sum() == 2, assignment::toString);
    }

    private static MemberSubscriptionAndAssignmentImpl member(Set<Uuid> topics) {
        return new MemberSubscriptionAndAssignmentImpl(Optional.empty(), Optional.empty(), topics, Assignment.EMPTY);
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
