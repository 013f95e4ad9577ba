package org.apache.kafka.clients.consumer;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

public class CooperativeStickyAssignorUnsubscribedTest {
    private static final int NO_GENERATION = -1;

    private final CooperativeStickyAssignor assignor = new CooperativeStickyAssignor();

    @Test
    public void testPartitionDoesNotGoBackToAConsumerThatUnsubscribed() {
        Map<String, List<TopicPartition>> assignment = assignor.assign(Map.of("t", 3, "u", 1), Map.of(
            "m0", subscription(List.of("t", "u"), 0, 3),
            "m1", subscription(List.of("t"), NO_GENERATION, 0),
            "m2", subscription(List.of("u"), NO_GENERATION, 1)));

        assertTrue(assignment.get("m2").stream().allMatch(tp -> tp.topic().equals("u")), assignment::toString);
    }

    @Test
    public void testPreviousOwnerThatCanGetNothing() {
        // NullPointerException in performReassignments
        Map<String, List<TopicPartition>> assignment = assignor.assign(Map.of("t", 2), Map.of(
            "m0", subscription(List.of("t"), 0, 2),
            "m1", subscription(List.of("t"), NO_GENERATION, 0),
            "m2", subscription(List.of(), NO_GENERATION, 1)));

        assertEquals(1, assignment.get("m0").size());
    }

    private static Subscription subscription(List<String> topics, int generation, int owned) {
        List<TopicPartition> partitions = IntStream.range(0, owned)
            .mapToObj(partition -> new TopicPartition("t", partition)).collect(Collectors.toList());
        return new Subscription(topics, null, partitions, generation, Optional.empty());
    }
}
