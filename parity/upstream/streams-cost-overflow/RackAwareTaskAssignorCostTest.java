package org.apache.kafka.streams.processor.internals.assignment;

import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

public class RackAwareTaskAssignorCostTest {
    private static final Node NODE = new Node(0, "localhost", 9092, "r0");
    private static final ProcessId NEAR = new ProcessId(new UUID(0, 1));
    private static final ProcessId FAR = new ProcessId(new UUID(0, 2));
    private static final TaskId ONE_INPUT = new TaskId(0, 0);
    private static final TaskId TWO_INPUTS = new TaskId(1, 0);
    private static final Map<TaskId, Set<TopicPartition>> INPUTS = Map.of(
        ONE_INPUT, Set.of(new TopicPartition("t", 0)),
        TWO_INPUTS, Set.of(new TopicPartition("t", 0), new TopicPartition("t", 1)));

    @Test
    public void testOptimizationEndsIfACostIsTwoToThe31() {
        assertEquals(TWO_INPUTS, assertTimeoutPreemptively(Duration.ofSeconds(10), () -> optimize(1 << 30)));
    }

    @Test
    public void testLargestTrafficCost() {
        assertEquals(TWO_INPUTS, optimize(Integer.MAX_VALUE));
    }

    /** Return the task of the client in the rack of all partitions. */
    private static TaskId optimize(final int trafficCost) {
        final Node[] nodes = {NODE};
        final Cluster cluster = new Cluster("cluster", Set.of(NODE), List.of(
            new PartitionInfo("t", 0, NODE, nodes, nodes), new PartitionInfo("t", 1, NODE, nodes, nodes)), Set.of(), Set.of());
        final SortedMap<ProcessId, ClientState> clients = new TreeMap<>(Map.of(NEAR, new ClientState(NEAR, 1), FAR, new ClientState(FAR, 1)));
        clients.get(NEAR).assignActive(ONE_INPUT);
        clients.get(FAR).assignActive(TWO_INPUTS);

        final RackAwareTaskAssignor assignor = new RackAwareTaskAssignor(
            cluster, INPUTS, Map.of(), Map.of(new Subtopology(0, null), Set.of(ONE_INPUT), new Subtopology(1, null), Set.of(TWO_INPUTS)),
            Map.of(NEAR, Map.of("c1", Optional.of("r0")), FAR, Map.of("c2", Optional.of("r1"))), null,
            new AssignmentConfigs(0L, 2, 0, 60_000L, List.of(), trafficCost, 0, StreamsConfig.RACK_AWARE_ASSIGNMENT_STRATEGY_MIN_TRAFFIC),
            Time.SYSTEM);
        assignor.canEnableRackAwareAssignor();
        assignor.optimizeActiveTasks(new TreeSet<>(INPUTS.keySet()), clients, trafficCost, 0);
        return clients.get(NEAR).activeTasks().iterator().next();
    }
}
