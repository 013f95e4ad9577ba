package org.apache.kafka.coordinator.group.assignor;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
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

public class SimpleAssignorUnsubscribedTopicTest {
    private static final Uuid T0 = new Uuid(0, 1);
    private static final Uuid T1 = new Uuid(0, 2);
    private static final Uuid T2 = new Uuid(0, 3);

    @Test
    public void testTopicWithoutSubscriberIsRevoked() {
        GroupAssignment assignment = new SimpleAssignor().assign(
            new GroupSpecImpl(
                Map.of("m0", member(T0, Map.of(T1, Set.of(0))), "m1", member(T2, Map.of())),
                SubscriptionType.HETEROGENEOUS, Map.of()),
            new OnePartition());

        assertEquals(Map.of(T0, Set.of(0)), assignment.members().get("m0").partitions());
        assertEquals(Map.of(T2, Set.of(0)), assignment.members().get("m1").partitions());
    }

    private static MemberSubscriptionAndAssignmentImpl member(Uuid topic, Map<Uuid, Set<Integer>> owned) {
        return new MemberSubscriptionAndAssignmentImpl(Optional.empty(), Optional.empty(), Set.of(topic), new Assignment(owned));
    }

    private static class OnePartition implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topicId) {
            return 1;
        }

        @Override
        public Set<String> racksForPartition(Uuid topicId, int partition) {
            return Set.of();
        }
    }
}
