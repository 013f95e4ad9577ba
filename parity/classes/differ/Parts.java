package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.StreamsPartitionAssignor;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.Graph;

/**
 * Parts of Kafka Streams that no task assignor shows by itself: {@code java -cp JARS kassay.Parts}.
 *
 * <p>One JSON object per line: {@code {"graph": ...}} answers the flows of edges at least cost, {@code {"threads": ...}} what each
 * consumer of a client is given, {@code {"role": ...}} the same for tasks of one role in any order, with any load before. Where the
 * class throws, the answer is the exception's name.
 */
public final class Parts {
    private static final String PROCESS_ID = "org.apache.kafka.streams.processor.assignment.ProcessId";

    private final Map<String, Method> methods = new HashMap<>();

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        Parts parts = new Parts();
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder answer = new StringBuilder();
            Json.write(parts.answer((Map<?, ?>) Json.read(line)), answer);
            out.append(answer).append('\n').flush();
        }
    }

    private Object answer(Map<?, ?> asked) throws ReflectiveOperationException {
        try {
            if (asked.containsKey("graph")) return flows((Map<?, ?>) asked.get("graph"));
            if (asked.containsKey("threads")) return threads((Map<?, ?>) asked.get("threads"));
            return role((Map<?, ?>) asked.get("role"));
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().getClass().getSimpleName();
        } catch (RuntimeException thrown) {
            return thrown.getClass().getSimpleName();
        }
    }

    private static List<Object> flows(Map<?, ?> asked) throws ReflectiveOperationException {
        Graph<Integer> graph = new Graph<>();
        for (Object edge : (List<?>) asked.get("edges")) {
            List<?> of = (List<?>) edge;
            graph.addEdge(number(of, 0), number(of, 1), number(of, 2), number(of, 3), number(of, 4));
        }
        graph.setSourceNode(Group.number(asked.get("source")));
        graph.setSinkNode(Group.number(asked.get("sink")));
        if ((Boolean) asked.get("maximise")) graph.calculateMaxFlow();
        graph.solveMinCostFlow();
        List<Object> flows = new ArrayList<>();
        for (Object edge : (List<?>) asked.get("edges")) {
            Object found = ((Map<?, ?>) graph.edges(number((List<?>) edge, 0))).get(number((List<?>) edge, 1));
            Field flow = found.getClass().getDeclaredField("flow");
            flow.setAccessible(true);
            flows.add(flow.get(found));
        }
        return flows;
    }

    private Object threads(Map<?, ?> asked) throws ReflectiveOperationException {
        ClientState state = state(asked);
        SortedSet<String> consumers = consumers(asked);
        state.assignActiveTasks(new HashSet<>(tasks(asked.get("active"))));
        for (TaskId standby : tasks(asked.get("standby"))) state.assignStandby(standby);
        Map<String, Integer> load = new HashMap<>();
        Map<String, List<Object>> given = new LinkedHashMap<>();
        for (String consumer : consumers) given.put(consumer, new ArrayList<>());
        add(assign(state.statefulActiveTasks(), true, consumers, state, load), given);
        add(assign(state.standbyTasks(), true, consumers, state, load), given);
        add(assign(state.statelessActiveTasks(), false, consumers, state, load), given);
        return given;
    }

    private Object role(Map<?, ?> asked) throws ReflectiveOperationException {
        Map<String, Integer> load = new HashMap<>();
        ((Map<?, ?>) asked.get("load")).forEach((consumer, many) -> load.put((String) consumer, Group.number(many)));
        Map<String, List<Object>> given = new LinkedHashMap<>();
        for (String consumer : consumers(asked)) given.put(consumer, new ArrayList<>());
        ClientState state = state(asked);
        add(assign(tasks(asked.get("tasks")), (Boolean) asked.get("stateful"), consumers(asked), state, load), given);
        return List.of(given, new TreeMap<>(load));
    }

    /** Makes a client that owned what its consumers say, so far from the ends as these are. */
    private ClientState state(Map<?, ?> asked) throws ReflectiveOperationException {
        ClientState state = new ClientState();
        ((Map<?, ?>) asked.get("consumers")).forEach((consumer, sums) -> {
            state.incrementCapacity();
            state.addPreviousTasksAndOffsetSums((String) consumer, numbers(sums));
        });
        Object process = new UUID(0, 1);
        Method compute = method(ClientState.class, "computeTaskLags");
        if (compute.getParameterTypes()[0] != UUID.class) {
            process = Class.forName(PROCESS_ID).getConstructor(UUID.class).newInstance(process);
        }
        compute.invoke(state, process, numbers(asked.get("ends")));
        return state;
    }

    @SuppressWarnings("unchecked")
    private Map<String, List<TaskId>> assign(
            Collection<TaskId> tasks, boolean stateful, SortedSet<String> consumers, ClientState state, Map<String, Integer> load)
            throws ReflectiveOperationException {
        Method assign = method(StreamsPartitionAssignor.class, "assignTasksToThreads");
        return (Map<String, List<TaskId>>) assign.invoke(null, tasks, stateful, consumers, state, load);
    }

    private Method method(Class<?> of, String name) {
        return methods.computeIfAbsent(name, unknown -> {
            for (Method method : of.getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    method.setAccessible(true);
                    return method;
                }
            }
            throw new IllegalStateException(of + " has no " + name);
        });
    }

    private static void add(Map<String, List<TaskId>> role, Map<String, List<Object>> given) {
        given.forEach((consumer, roles) -> {
            List<String> texts = new ArrayList<>();
            for (TaskId task : role.get(consumer)) texts.add(task.toString());
            roles.add(texts);
        });
    }

    private static SortedSet<String> consumers(Map<?, ?> asked) {
        SortedSet<String> consumers = new TreeSet<>();
        for (Object consumer : ((Map<?, ?>) asked.get("consumers")).keySet()) consumers.add((String) consumer);
        return consumers;
    }

    private static Map<TaskId, Long> numbers(Object json) {
        Map<TaskId, Long> numbers = new HashMap<>();
        ((Map<?, ?>) json).forEach((task, number) -> numbers.put(TaskId.parse((String) task), (Long) number));
        return numbers;
    }

    private static List<TaskId> tasks(Object json) {
        List<TaskId> tasks = new ArrayList<>();
        for (Object task : (List<?>) json) tasks.add(TaskId.parse((String) task));
        return tasks;
    }

    private static int number(List<?> of, int at) {
        return Group.number(of.get(at));
    }
}
