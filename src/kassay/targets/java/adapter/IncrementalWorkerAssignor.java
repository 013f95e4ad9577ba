package kassay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator.ConnectorsAndTasks;
import org.apache.kafka.connect.storage.ClusterConfigState;
import org.apache.kafka.connect.util.ConnectorTaskId;

/**
 * Connect's incremental cooperative assignor (KIP-415), by the method that works out a round; it takes its constructor from the
 * release.
 *
 * <p>A fresh instance is made to remember what the group tells. One that is kept remembers by itself; it is told only the time.
 */
final class IncrementalWorkerAssignor implements Assignor {
    private final Class<?> assignor;
    private final Method perform;
    private final boolean keeping;
    private final RoundClock clock = new RoundClock();
    private Object kept;

    IncrementalWorkerAssignor(Class<?> assignor, boolean keeping) throws NoSuchMethodException {
        this.assignor = assignor;
        this.keeping = keeping;
        perform = assignor.getDeclaredMethod("performTaskAssignment", ClusterConfigState.class, int.class, int.class, Map.class);
        perform.setAccessible(true);
        fresh(0);
    }

    @Override
    public String family() {
        return "connect";
    }

    @Override
    public Assignor keeping() {
        try {
            return new IncrementalWorkerAssignor(assignor, true);
        } catch (NoSuchMethodException foundBefore) {
            throw new IllegalStateException(foundBefore);
        }
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> json) {
        ConnectCluster cluster = new ConnectCluster(json);
        Object asked = kept == null ? remembering(cluster) : kept;
        if (keeping) kept = asked;
        return written(cluster, asked, ready(cluster, asked).get());
    }

    /** Makes a fresh instance that remembers what the cluster tells. */
    Object remembering(ConnectCluster cluster) {
        Object fresh = fresh(cluster.maxDelay);
        new ConnectMemory(fresh).restore(cluster.memory);
        return fresh;
    }

    /** Makes all that an instance is handed for a round; what comes back asks it. */
    Supplier<Object> ready(ConnectCluster cluster, Object asked) {
        clock.now = cluster.time;
        Map<String, ConnectorsAndTasks> copies = new HashMap<>(); // the class writes into what it is given
        cluster.workers.forEach((id, work) -> copies.put(
            id, new ConnectorsAndTasks.Builder().with(work.connectors(), work.tasks()).build()));
        ClusterConfigState configured = cluster.configured();
        return () -> invoke(
            perform, asked, configured, cluster.lastCompletedGeneration, cluster.generation, copies);
    }

    /** Makes the JSON of what an instance gave, and of what it remembers now. */
    static Map<String, Object> written(ConnectCluster cluster, Object asked, Object given) {
        Map<String, Object> assignment = new LinkedHashMap<>(), revoked = new LinkedHashMap<>();
        cluster.workers.forEach((id, work) -> {
            Collection<String> lostConnectors = part(given, "newlyRevokedConnectors", id);
            Collection<ConnectorTaskId> lostTasks = part(given, "newlyRevokedTasks", id);
            assignment.put(id, ConnectAnswer.after(
                part(given, "newlyAssignedConnectors", id), part(given, "newlyAssignedTasks", id),
                work.connectors(), work.tasks(), lostConnectors, lostTasks));
            if (!lostConnectors.isEmpty() || !lostTasks.isEmpty()) {
                revoked.put(id, ConnectAnswer.sorted(lostConnectors, lostTasks));
            }
        });
        ConnectMemory memory = new ConnectMemory(asked);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("assignment", assignment);
        answer.put("revoked", revoked);
        answer.put("delay_ms", memory.delay());
        answer.put("memory", memory.json(cluster.workers.keySet(), cluster.memory));
        return answer;
    }

    private Object fresh(int maxDelay) throws IllegalStateException {
        try {
            return Loading.make(
                assignor.getConstructor(LogContext.class, Time.class, int.class), new LogContext(), clock, maxDelay);
        } catch (NoSuchMethodException other) {
            throw new IllegalStateException("it has no constructor of a log context, a time and a delay", other);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> Collection<T> part(Object given, String name, String worker) {
        try {
            Method part = given.getClass().getMethod(name, String.class);
            part.setAccessible(true);
            Collection<T> found = (Collection<T>) invoke(part, given, worker);
            return found == null ? Collections.emptySet() : found;
        } catch (NoSuchMethodException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static Object invoke(Method method, Object of, Object... values) {
        try {
            return method.invoke(of, values);
        } catch (InvocationTargetException thrown) {
            throw Thrown.again(thrown.getCause());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
