package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class CooperativeStickyAssignorFewerPartitionsTest {
    private static final TopicPartition T0 = new TopicPartition("t", 0);
    private static final TopicPartition T1 = new TopicPartition("t", 1);
    private static final TopicPartition T2 = new TopicPartition("t", 2);
    private static final TopicPartition U0 = new TopicPartition("u", 0);

    private final CooperativeStickyAssignor assignor = new CooperativeStickyAssignor();

    @Test
    public void testOwnedPartitionIsTheOnlyOneThatVanished() {
        // IllegalStateException: No more unfilled consumers to be assigned.
        assertEquals(Map.of("m0", List.of(T0)), assignor.assign(Map.of("t", 1), Map.of("m0", subscription("t", T1))));
    }

    @Test
    public void testVanishedPartitionIsNotAssigned() {
        assertEquals(Map.of("m0", List.of(T0, T1)), assignor.assign(Map.of("t", 2), Map.of("m0", subscription("t", T2))));
    }

    @Test
    public void testPartitionOfAnotherTopicIsAssignedOnce() {
        assertEquals(
            Map.of("m0", List.of(T0), "m1", List.of(U0)),
            assignor.assign(Map.of("t", 1, "u", 1), Map.of("m0", subscription("t", T1), "m1", subscription("u", U0))));
    }

    private static Subscription subscription(String topic, TopicPartition owned) {
        return new Subscription(List.of(topic), null, List.of(owned), 1, Optional.empty());
    }
}
