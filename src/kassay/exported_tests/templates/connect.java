package org.apache.kafka.connect.runtime.distributed; // the method that is asked is not public

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator.ConnectorsAndTasks;
import org.apache.kafka.connect.storage.ClusterConfigState;
import org.apache.kafka.connect.util.ConnectorTaskId;

class @NAME@ {
    @Test
    void @METHOD@() {
@BODY@
    }

    /** Returns the connectors and tasks of each worker after the round, and what it has to stop, as "w0 revoked". */
    private static Map<String, List<String>> assign(
            long now, int maxDelay, int generation, int lastCompletedGeneration, Map<String, Integer> taskCounts,
            Map<String, List<String>> workers, Map<String, Object> memory) {
        Time clock = (Time) java.lang.reflect.Proxy.newProxyInstance(
            @NAME@.class.getClassLoader(), new Class<?>[] {Time.class}, (self, called, arguments) -> switch (called.getName()) {
                case "milliseconds" -> now;
                case "nanoseconds" -> now * 1_000_000;
                default -> throw new UnsupportedOperationException(called.getName());
            });
        @ASSIGNOR@ assignor = new @ASSIGNOR@(new LogContext(), clock, maxDelay);
        memory.forEach((field, value) -> remember(assignor, field, value));
        Map<String, Map<String, String>> configs = new HashMap<>();
        taskCounts.keySet().forEach(connector -> configs.put(connector, Map.of()));
        ClusterConfigState configured = new ClusterConfigState(
            0, null, new HashMap<>(taskCounts), configs, new HashMap<>(), new HashMap<>(), new HashMap<>(), new HashMap<>(),
            new HashMap<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
        Map<String, ConnectorsAndTasks> running = new HashMap<>();
        workers.forEach((worker, names) -> running.put(worker, work(names)));
        var given = assignor.performTaskAssignment(configured, lastCompletedGeneration, generation, running);
        Map<String, List<String>> answer = new LinkedHashMap<>();
        workers.forEach((worker, names) -> {
            List<String> revoked = new ArrayList<>(given.newlyRevokedConnectors(worker));
            given.newlyRevokedTasks(worker).forEach(task -> revoked.add(task.toString()));
            List<String> after = new ArrayList<>(given.newlyAssignedConnectors(worker));
            given.newlyAssignedTasks(worker).forEach(task -> after.add(task.toString()));
            names.stream().map(@NAME@::shown).filter(name -> !revoked.contains(name)).forEach(after::add);
            answer.put(worker, after);
            answer.put(worker + " revoked", revoked);
        });
        return answer;
    }

    /** Reads names of connectors, such as "c0", and of tasks, such as "c0 task 1". */
    private static ConnectorsAndTasks work(List<String> names) {
        Set<String> connectors = new LinkedHashSet<>();
        Set<ConnectorTaskId> tasks = new LinkedHashSet<>();
        for (String name : names) {
            int at = name.lastIndexOf(" task ");
            if (at < 0) connectors.add(name);
            else tasks.add(new ConnectorTaskId(name.substring(0, at), Integer.parseInt(name.substring(at + 6))));
        }
        return new ConnectorsAndTasks.Builder().with(connectors, tasks).build();
    }

    private static String shown(String name) {
        int at = name.lastIndexOf(" task ");
        return at < 0 ? name : name.substring(0, at) + "-" + name.substring(at + 6);
    }

    /** Lets a new assignor remember what another round left in this field. */
    @SuppressWarnings("unchecked")
    private static void remember(@ASSIGNOR@ assignor, String name, Object value) {
        try {
            Field field = @ASSIGNOR@.class.getDeclaredField(name);
            field.setAccessible(true);
            if (name.equals("candidateWorkersForReassignment")) ((Set<String>) field.get(assignor)).addAll((Set<String>) value);
            else field.set(assignor, value);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
        }
    }
@HELPERS@}
