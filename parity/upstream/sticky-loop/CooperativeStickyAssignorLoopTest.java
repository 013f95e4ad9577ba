package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

public class CooperativeStickyAssignorLoopTest {

    @Test
    public void testReassignmentEnds() {
        Map<String, Subscription> subscriptions = Map.of(
            "m0", subscription(List.of("b", "d"), partitions("b", 0, 1, 2, 3, 4, 5, 6, 7)),
            "m1", subscription(List.of("b", "c", "d"), partitions("c", 1, 6)),
            "m2", subscription(List.of("c", "d"), partitions("c", 0)),
            "m3", subscription(List.of("a", "c", "e"), Stream.of()),
            "m4", subscription(List.of("a", "d"), Stream.concat(
                partitions("a", 0, 1, 2, 3, 4, 5, 6, 7), partitions("d", 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))));
        Map<String, Integer> partitionsPerTopic = Map.of("a", 8, "b", 8, "c", 8, "d", 12, "e", 3);

        Map<String, List<TopicPartition>> assignment = assertTimeoutPreemptively(Duration.ofSeconds(10),
            () -> new CooperativeStickyAssignor().assign(partitionsPerTopic, subscriptions));

        Set<TopicPartition> assigned = assignment.values().stream().flatMap(List::stream).collect(Collectors.toSet());
        assertEquals(assigned.size(), assignment.values().stream().mapToInt(List::size).sum());
    }

    private static Stream<TopicPartition> partitions(String topic, int... partitions) {
        return IntStream.of(partitions).mapToObj(partition -> new TopicPartition(topic, partition));
    }

    private static Subscription subscription(List<String> topics, Stream<TopicPartition> owned) {
        return new Subscription(topics, null, owned.collect(Collectors.toList()), 1, Optional.empty());
    }
}
