package org.apache.kafka.connect.runtime.distributed;

import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator.ConnectorsAndTasks;
import org.apache.kafka.connect.storage.ClusterConfigState;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class IncrementalCooperativeAssignorDeletedTest {

    @Test
    public void testNewLeaderRevokesADeletedConnector() {
        IncrementalCooperativeAssignor newLeader = new IncrementalCooperativeAssignor(new LogContext(), Time.SYSTEM, 300_000);

        IncrementalCooperativeAssignor.ClusterAssignment assignment = newLeader.performTaskAssignment(
            ClusterConfigState.EMPTY, 0, 1, Map.of("w0", new ConnectorsAndTasks.Builder().with(List.of("deleted"), List.of()).build()));

        assertEquals(List.of("deleted"), List.copyOf(assignment.newlyRevokedConnectors("w0")));
    }
}
