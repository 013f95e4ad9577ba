package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class CooperativeStickyAssignorNoSubscriptionTest {

    @Test
    public void testFirstMemberSubscribesToNothing() {
        Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        subscriptions.put("m0", new Subscription(List.of()));
        subscriptions.put("m1", new Subscription(List.of("t")));

        assertEquals(
            Map.of("m0", List.of(), "m1", List.of(new TopicPartition("t", 0))),
            new CooperativeStickyAssignor().assign(Map.of("t", 1), subscriptions));
    }
}
