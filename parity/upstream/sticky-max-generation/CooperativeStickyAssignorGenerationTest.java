package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class CooperativeStickyAssignorGenerationTest {

    @Test
    public void testGenerationsStartAgain() {
        CooperativeStickyAssignor assignor = new CooperativeStickyAssignor();
        assignor.assign(Map.of("t", 1), Map.of("m0", new Subscription(List.of("t"), null, List.of(), 7, Optional.empty())));
        assertEquals(7, assignor.maxGeneration());

        // the coordinator lost the group
        assignor.assign(Map.of("t", 1), Map.of("m0", new Subscription(List.of("t"), null, List.of(new TopicPartition("t", 0)), 1, Optional.empty())));
        assertEquals(1, assignor.maxGeneration());
    }
}
