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

public class HighAvailabilityTaskAssignorThreadsTest {
    private static final TaskId TASK = new TaskId(0, 0);

    @Test
    public void testStatelessTaskGoesToTheIdleClientWithMostThreads() {
        final Map<ProcessId, ClientState> clients = Map.of(process(1), client(1, Map.of()), process(2), client(2, Map.of()));

        assign(clients, Set.of(), 0);

        assertEquals(Set.of(TASK), clients.get(process(2)).activeTasks());
    }

    @Test
    public void testStandbyTaskGoesToTheIdleClientWithMostThreads() {
        final Map<TaskId, Long> lags = Map.of(TASK, 0L);
        final Map<ProcessId, ClientState> clients = Map.of(process(1), client(1, lags), process(2), client(1, lags), process(3), client(2, lags));

        assign(clients, Set.of(TASK), 1);

        assertEquals(Set.of(TASK), clients.get(process(3)).standbyTasks());
    }

    private static void assign(final Map<ProcessId, ClientState> clients, final Set<TaskId> statefulTasks, final int standbyReplicas) {
        final AssignmentConfigs configs = new AssignmentConfigs(
            10_000L, 2, standbyReplicas, 600_000L, List.of(), 1, 1, StreamsConfig.RACK_AWARE_ASSIGNMENT_STRATEGY_NONE);
        new HighAvailabilityTaskAssignor().assign(clients, Set.of(TASK), statefulTasks, new RackAwareTaskAssignor(
            Cluster.empty(), Map.of(), Map.of(), Map.of(), Map.of(), null, configs, Time.SYSTEM), configs);
    }

    private static ProcessId process(final int number) {
        return new ProcessId(new UUID(0, number));
    }

    private static ClientState client(final int threads, final Map<TaskId, Long> lags) {
        return new ClientState(Set.of(), Set.of(), lags, Map.of(), threads);
    }
}
