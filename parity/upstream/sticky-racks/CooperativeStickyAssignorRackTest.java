package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class CooperativeStickyAssignorRackTest {

    @Test
    public void testUnchangedGroupKeepsItsAssignment() {
        Map<String, List<TopicPartition>> first = assign(Map.of());

        assertEquals(first, assign(first));
    }

    private static Map<String, List<TopicPartition>> assign(Map<String, List<TopicPartition>> owned) {
        Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        subscriptions.put("m0", subscription(owned.getOrDefault("m0", List.of()), Optional.empty()));
        subscriptions.put("m1", subscription(owned.getOrDefault("m1", List.of()), Optional.of("r0")));
        return new CooperativeStickyAssignor().assignPartitions(
            Map.of("t", List.of(partition(0, null), partition(1, null), partition(2, "r0"))), subscriptions);
    }

    private static Subscription subscription(List<TopicPartition> owned, Optional<String> rack) {
        return new Subscription(List.of("t"), null, List.copyOf(owned), owned.isEmpty() ? -1 : 1, rack);
    }

    private static PartitionInfo partition(int number, String rack) {
        Node node = new Node(number, "localhost", 9092, rack);
        return new PartitionInfo("t", number, node, new Node[] {node}, new Node[] {node});
    }
}
