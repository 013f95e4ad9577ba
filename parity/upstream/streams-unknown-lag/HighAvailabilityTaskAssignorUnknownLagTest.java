package org.apache.kafka.streams.processor.internals.assignment;

import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class HighAvailabilityTaskAssignorUnknownLagTest {
    private static final TaskId TASK = new TaskId(0, 0);

    @Test
    public void testActiveTaskStaysOnTheClientThatIsCaughtUp() {
        final Map<ProcessId, ClientState> clients = Map.of(
            new ProcessId(new UUID(0, 1)), client(SubscriptionInfo.UNKNOWN_OFFSET_SUM),
            new ProcessId(new UUID(0, 2)), client(0L));
        final AssignmentConfigs configs = new AssignmentConfigs(
            10_000L, 2, 0, 600_000L, List.of(), 1, 1, StreamsConfig.RACK_AWARE_ASSIGNMENT_STRATEGY_NONE);

        new HighAvailabilityTaskAssignor().assign(clients, Set.of(TASK), Set.of(TASK), new RackAwareTaskAssignor(
            Cluster.empty(), Map.of(), Map.of(), Map.of(), Map.of(), null, configs, Time.SYSTEM), configs);

        assertEquals(Set.of(TASK), clients.get(new ProcessId(new UUID(0, 2))).activeTasks());
    }

    private static ClientState client(final long lag) {
        return new ClientState(Set.of(), Set.of(), Map.of(TASK, lag), Map.of(), 1);
    }
}
