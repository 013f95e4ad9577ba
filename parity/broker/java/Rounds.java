package kassay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.connect.runtime.distributed.ExtendedAssignment;
import org.apache.kafka.connect.runtime.distributed.ExtendedWorkerState;
import org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeAssignor;
import org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeConnectProtocol;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator;
import org.apache.kafka.connect.storage.ClusterConfigState;

/**
 * Connect's own assignor, printing each round that it is asked about and what it answered, as JSON on one line.
 *
 * <p>What it remembers it does not print. Its clock stands still during a round, so that what is printed is the time that it saw.
 */
final class Rounds extends IncrementalCooperativeAssignor {
    private final RoundClock clock;
    private final int maxDelay;

    Rounds(int maxDelay) {
        this(new RoundClock(), maxDelay);
    }

    private Rounds(RoundClock clock, int maxDelay) {
        super(new LogContext(), clock, maxDelay);
        this.clock = clock;
        this.maxDelay = maxDelay;
    }

    @Override
    protected Map<String, ByteBuffer> performTaskAssignment(
        String leader, long offset, Map<String, ExtendedWorkerState> states, WorkerCoordinator coordinator, short version) {
        clock.now = System.currentTimeMillis();
        Map<String, Object> line = new LinkedHashMap<>(), urls = new LinkedHashMap<>();
        line.put("leader", leader);
        states.forEach((id, state) -> urls.put(id, state.url()));
        line.put("urls", urls);
        line.put("cluster", cluster(states, coordinator));
        Map<String, ByteBuffer> given = super.performTaskAssignment(leader, offset, states, coordinator, version);
        Map<String, Object> assignment = new LinkedHashMap<>(), revoked = new LinkedHashMap<>();
        states.forEach((id, state) -> {
            ExtendedAssignment had = state.assignment();
            ExtendedAssignment told = IncrementalCooperativeConnectProtocol.deserializeAssignment(given.get(id).duplicate());
            assignment.put(id, ConnectAnswer.after(
                told.connectors(), told.tasks(), had.connectors(), had.tasks(), told.revokedConnectors(), told.revokedTasks()));
            revoked.put(id, ConnectAnswer.work(told.revokedConnectors(), told.revokedTasks()));
        });
        line.put("answer", Map.of("assignment", assignment, "revoked", revoked, "delay_ms", delay));
        StringBuilder text = new StringBuilder("\n");
        Json.write(line, text);
        System.out.println(text);
        System.out.flush();
        return given;
    }

    private Map<String, Object> cluster(Map<String, ExtendedWorkerState> states, WorkerCoordinator coordinator) {
        ClusterConfigState configured = coordinator.configSnapshot();
        List<Object> connectors = new ArrayList<>(), workers = new ArrayList<>();
        for (String name : configured.connectors()) connectors.add(Map.of("name", name, "tasks", configured.taskCount(name)));
        states.forEach((id, state) -> {
            Map<String, Object> worker = new LinkedHashMap<>(Map.of("id", id));
            worker.putAll(ConnectAnswer.work(state.assignment().connectors(), state.assignment().tasks()));
            workers.add(worker);
        });
        Map<String, Object> cluster = new LinkedHashMap<>();
        cluster.put("family", "connect");
        cluster.put("connectors", connectors);
        cluster.put("workers", workers);
        cluster.put("config", Map.of("scheduled.rebalance.max.delay.ms", maxDelay));
        cluster.put("time_ms", clock.now);
        cluster.put("generation", coordinator.generationId());
        cluster.put("last_completed_generation", coordinator.lastCompletedGenerationId());
        return cluster;
    }
}
