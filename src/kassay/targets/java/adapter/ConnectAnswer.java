package kassay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.connect.util.ConnectorTaskId;

/** Connectors and tasks as JSON, in the order given or, where they are a set, in ascending order. */
final class ConnectAnswer {
    private ConnectAnswer() {}

    /** Makes the JSON of what a worker has after a round: first what is new to it, then what it keeps (WorkerCoordinator.onJoinComplete). */
    static Map<String, Object> after(
        Collection<String> newConnectors, Collection<ConnectorTaskId> newTasks,
        Collection<String> connectors, Collection<ConnectorTaskId> tasks,
        Collection<String> revokedConnectors, Collection<ConnectorTaskId> revokedTasks) {
        return work(together(newConnectors, connectors, revokedConnectors), together(newTasks, tasks, revokedTasks));
    }

    private static <T> Set<T> together(Collection<T> added, Collection<T> had, Collection<T> revoked) {
        Set<T> kept = new LinkedHashSet<>(had);
        kept.removeAll(new LinkedHashSet<>(revoked));
        Set<T> all = new LinkedHashSet<>(added);
        all.addAll(kept);
        return all;
    }

    static Map<String, Object> work(Collection<String> connectors, Collection<ConnectorTaskId> tasks) {
        List<Object> pairs = new ArrayList<>();
        for (ConnectorTaskId task : tasks) pairs.add(List.of(task.connector(), task.task()));
        Map<String, Object> work = new LinkedHashMap<>();
        work.put("connectors", new ArrayList<>(connectors));
        work.put("tasks", pairs);
        return work;
    }

    /** Makes the JSON of sets. */
    static Map<String, Object> sorted(Collection<String> connectors, Collection<ConnectorTaskId> tasks) {
        return work(new TreeSet<>(connectors), new TreeSet<>(tasks));
    }
}
