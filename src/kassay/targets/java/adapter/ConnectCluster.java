package kassay;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator.ConnectorsAndTasks;
import org.apache.kafka.connect.storage.ClusterConfigState;
import org.apache.kafka.connect.util.ConnectorTaskId;

/** A cluster of Connect's workers, as its JSON tells it: what is configured, who runs what, the time, what is remembered. */
final class ConnectCluster {
    /** Worker to what it runs, in the listed order. */
    final Map<String, ConnectorsAndTasks> workers = new LinkedHashMap<>();
    final Map<?, ?> memory;
    final int maxDelay;
    final long time;
    final int generation;
    final int lastCompletedGeneration;
    private final Map<String, Integer> taskCounts = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> connectors = new LinkedHashMap<>();

    ConnectCluster(Map<?, ?> json) {
        for (Object connector : list(json, "connectors")) {
            Map<?, ?> told = (Map<?, ?>) connector;
            taskCounts.put((String) told.get("name"), (int) number(told, "tasks", 0));
            connectors.put((String) told.get("name"), Map.of());
        }
        for (Object worker : list(json, "workers")) {
            workers.put((String) ((Map<?, ?>) worker).get("id"), work((Map<?, ?>) worker));
        }
        memory = map(json, "memory");
        maxDelay = (int) number(map(json, "config"), "scheduled.rebalance.max.delay.ms", 300_000);
        time = number(json, "time_ms", 0);
        generation = (int) number(json, "generation", 1);
        lastCompletedGeneration = (int) number(json, "last_completed_generation", 0);
    }

    /** Makes Kafka's view of the configuration, whose constructors differ: last come two sets, third and fourth tasks and connectors. */
    ClusterConfigState configured() {
        for (Constructor<?> found : ClusterConfigState.class.getConstructors()) {
            Class<?>[] types = found.getParameterTypes();
            if (types[types.length - 1] != Set.class) continue;
            Object[] values = new Object[types.length];
            for (int n = 0; n < types.length; n++) {
                if (types[n] == Map.class) values[n] = new HashMap<>();
                if (types[n] == Set.class) values[n] = new HashSet<>();
            }
            values[0] = 0L;
            values[2] = taskCounts;
            values[3] = connectors;
            return (ClusterConfigState) Loading.make(found, values);
        }
        throw new IllegalStateException("no constructor of " + ClusterConfigState.class + " ends with a set");
    }

    /** Reads connectors and tasks in the listed order. */
    static ConnectorsAndTasks work(Map<?, ?> json) {
        List<String> names = new ArrayList<>();
        List<ConnectorTaskId> tasks = new ArrayList<>();
        for (Object name : list(json, "connectors")) names.add((String) name);
        for (Object task : list(json, "tasks")) {
            List<?> pair = (List<?>) task;
            tasks.add(new ConnectorTaskId((String) pair.get(0), ((Number) pair.get(1)).intValue()));
        }
        return new ConnectorsAndTasks.Builder().with(names, tasks).build();
    }

    static List<?> list(Map<?, ?> json, String key) {
        return json.get(key) == null ? List.of() : (List<?>) json.get(key);
    }

    static Map<?, ?> map(Map<?, ?> json, String key) {
        return json.get(key) == null ? Map.of() : (Map<?, ?>) json.get(key);
    }

    static long number(Map<?, ?> json, String key, long usual) {
        return json.get(key) == null ? usual : ((Number) json.get(key)).longValue();
    }

    static boolean truth(Map<?, ?> json, String key, boolean usual) {
        return json.get(key) == null ? usual : (Boolean) json.get(key);
    }
}
