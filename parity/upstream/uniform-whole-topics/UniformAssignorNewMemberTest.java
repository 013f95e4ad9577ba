package org.apache.kafka.coordinator.group.assignor;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class UniformAssignorNewMemberTest {
    private static final Uuid T0 = new Uuid(0, 1);
    private static final Uuid T1 = new Uuid(0, 2);

    @Test
    public void testNewMemberGetsPartitionsOfEachTopic() {
        Map<String, MemberAssignment> assignment = new UniformAssignor().assign(
            new GroupSpecImpl(
                Map.of("m0", member(Map.of(T0, Set.of(0, 1), T1, Set.of(0, 1))), "m1", member(Map.of())),
                SubscriptionType.HOMOGENEOUS,
                Map.of(T0, Map.of(0, "m0", 1, "m0"), T1, Map.of(0, "m0", 1, "m0"))),
            new TwoPartitions()).members();

        for (String memberId : assignment.keySet())
            for (Uuid topicId : Set.of(T0, T1))
                assertEquals(1, assignment.get(memberId).partitions().getOrDefault(topicId, Set.of()).size(), assignment::toString);
    }

    private static MemberSubscriptionAndAssignmentImpl member(Map<Uuid, Set<Integer>> owned) {
        return new MemberSubscriptionAndAssignmentImpl(Optional.empty(), Optional.empty(), Set.of(T0, T1), new Assignment(owned));
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
