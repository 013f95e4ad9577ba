package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class CooperativeStickyAssignorOutdatedClaimTest {
    private static final TopicPartition T0 = new TopicPartition("t", 0);
    private static final TopicPartition U0 = new TopicPartition("u", 0);

    @Test
    public void testPartitionIsRevokedBeforeAnOutdatedOwnerGetsIt() {
        // m1 owns t-0 and no longer subscribes to t; m0 owned t-0 in an earlier generation
        assertEquals(
            Map.of("m0", List.of(), "m1", List.of(U0)),
            new CooperativeStickyAssignor().assign(Map.of("t", 1, "u", 1), Map.of(
                "m0", new Subscription(List.of("t"), null, List.of(T0), -1, Optional.empty()),
                "m1", new Subscription(List.of("u"), null, List.of(T0), 0, Optional.empty()))));
    }
}
