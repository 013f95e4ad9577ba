package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A task assignor that a group coordinator runs for streams groups (KIP-1071; 4.1 and later).
 *
 * <p>Until 4.3 its interfaces are internal and members are records; 4.4 made other ones public (KIP-1357). Both are met by reflection,
 * as records cannot be compiled against by the Java that kassay's own classes are made for.
 */
final class StreamsGroupAssignor implements Assignor {
    private static final String[] ROLES = {"active", "standby", "warmup"};

    private final Class<?> assignor;
    private final Method assign;
    private Object kept;

    /** Takes a class, and the interface of its release that it implements. */
    StreamsGroupAssignor(Class<?> assignor, Class<?> taskAssignor) {
        this.assignor = assignor;
        this.assign = method(taskAssignor, "assign").orElseThrow();
    }

    private StreamsGroupAssignor(Class<?> assignor, Method assign, Object kept) {
        this.assignor = assignor;
        this.assign = assign;
        this.kept = kept;
    }

    @Override
    public String family() {
        return "streams-group";
    }

    @Override
    public Assignor keeping() {
        return new StreamsGroupAssignor(assignor, assign, fresh());
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> json) {
        StreamsGroup group = new StreamsGroup(json);
        Object asked = kept == null ? fresh() : kept;
        return written(ready(group, asked, spec(assign.getParameterTypes()[0], group)).get());
    }

    Object fresh() {
        return Loading.fresh(assignor, Map.of());
    }

    /** Makes all that an instance is handed of a group, whose members are told; what comes back asks it. */
    Supplier<Object> ready(StreamsGroup group, Object asked, Object spec) {
        Object topology = topology(assign.getParameterTypes()[1], group);
        return () -> call(assign, asked, spec, topology);
    }

    /** Makes the JSON of what an assignor gave. */
    static Map<String, Object> written(Object given) {
        if (given == null) return wrong("null");
        Map<?, ?> members = (Map<?, ?>) get(given, "members");
        if (members == null) return wrong("null for the members");
        Map<String, Object> answer = new LinkedHashMap<>();
        for (Map.Entry<?, ?> member : members.entrySet()) {
            if (member.getKey() == null) return wrong("null for a member");
            if (member.getValue() == null) return wrong("null for the tasks of member " + member.getKey());
            Map<String, Object> roles = new LinkedHashMap<>();
            for (String role : ROLES) {
                Object tasks = method(member.getValue().getClass(), role + "Tasks").map(each -> call(each, member.getValue())).orElse(Map.of());
                String wrong = wrong(tasks);
                if (wrong != null) return wrong(wrong + " of member " + member.getKey() + " as " + role);
                roles.put(role, texts((Map<?, ?>) tasks));
            }
            answer.put((String) member.getKey(), roles);
        }
        return Map.of("assignment", answer);
    }

    private static Map<String, Object> wrong(String what) {
        return Map.of("error", Given.NO_ASSIGNMENT + what);
    }

    /** Says where there is a null that JSON has no place for; null where there is none. */
    private static String wrong(Object tasks) {
        if (tasks == null) return "null for the tasks";
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) tasks).entrySet()) {
            if (entry.getKey() == null || entry.getValue() == null) return "null for a subtopology";
            for (Object number : (Collection<?>) entry.getValue()) if (number == null) return "null for a task";
        }
        return null;
    }

    /** Lists tasks by the numbers of their subtopologies, as far as these are numbers, as sets have no order. */
    private static List<String> texts(Map<?, ?> tasks) {
        List<String> ids = new ArrayList<>();
        for (Object id : tasks.keySet()) ids.add((String) id);
        ids.sort((one, other) -> one.length() != other.length() ? one.length() - other.length() : one.compareTo(other));
        List<String> texts = new ArrayList<>();
        for (String id : ids) {
            for (Object number : new TreeSet<>((Collection<?>) tasks.get(id))) texts.add(id + "_" + number);
        }
        return texts;
    }

    private static Object topology(Class<?> type, StreamsGroup group) {
        return proxy(type, Map.of(
            "subtopologies", unused -> group.subtopologies,
            "maxNumInputPartitions", id -> {
                if (!group.partitions.containsKey(id)) throw new NoSuchElementException("no subtopology " + id);
                return group.partitions.get(id);
            },
            "isStateful", group.stateful::contains));
    }

    private static Object spec(Class<?> type, StreamsGroup group) {
        if (method(type, "members").isPresent()) return internalSpec(type, group);
        Class<?> configs = method(type, "configs").orElseThrow().getReturnType();
        Class<?> metadata = method(type, "memberMetadata").orElseThrow().getReturnType();
        Class<?> state = method(type, "memberAssignmentState").orElseThrow().getReturnType();
        Object settings = proxy(configs, Map.of(
            "numStandbyReplicas", unused -> group.standbys, "rackAwareAssignmentTags", unused -> group.tags));
        return proxy(type, Map.of(
            "memberIds", unused -> group.members.keySet(),
            "configs", unused -> settings,
            "memberMetadata", id -> metadata(metadata, known(group, id)),
            "memberAssignmentState", id -> state(state, known(group, id))));
    }

    private static StreamsGroup.Member known(StreamsGroup group, Object id) {
        if (!group.members.containsKey(id)) throw new IllegalArgumentException("no member " + id);
        return group.members.get(id);
    }

    private static Object metadata(Class<?> type, StreamsGroup.Member member) {
        return proxy(type, Map.of(
            "instanceId", unused -> member.instance, "rackId", unused -> member.rack,
            "processId", unused -> member.process, "clientTags", unused -> member.tags));
    }

    private static Object state(Class<?> type, StreamsGroup.Member member) {
        return proxy(type, Map.of(
            "activeTasks", unused -> member.active, "standbyTasks", unused -> member.standby,
            "warmupTasks", unused -> member.warmup, "taskOffsets", unused -> member.offsets,
            "taskEndOffsets", unused -> member.endOffsets));
    }

    /** Makes what assignors were told until 4.3: a map of records, and settings as text. */
    private static Object internalSpec(Class<?> type, StreamsGroup group) {
        Constructor<?> record = declared(type, "AssignmentMemberSpec"), task = declared(type, "TaskId");
        Map<String, Object> members = new LinkedHashMap<>();
        group.members.forEach((id, member) -> members.put(id, Loading.make(
            record, member.instance, member.rack, member.active, member.standby, member.warmup, member.process, member.tags,
            byTask(task, member.offsets), byTask(task, member.endOffsets))));
        Map<String, String> configs = Map.of("num.standby.replicas", String.valueOf(group.standbys));
        return proxy(type, Map.of("members", unused -> members, "assignmentConfigs", unused -> configs));
    }

    private static Map<Object, Long> byTask(Constructor<?> task, Map<String, Map<Integer, Long>> offsets) {
        Map<Object, Long> found = new HashMap<>();
        offsets.forEach((id, sums) -> sums.forEach((number, sum) -> found.put(Loading.make(task, id, number), sum)));
        return found;
    }

    /** Finds the constructor of a class beside another one. */
    private static Constructor<?> declared(Class<?> beside, String name) {
        try {
            return Class.forName(beside.getPackageName() + "." + name, false, beside.getClassLoader()).getConstructors()[0];
        } catch (ClassNotFoundException otherRelease) {
            throw new IllegalStateException(otherRelease);
        }
    }

    /** Implements an interface by what each of its methods answers to its only argument, if it has one. */
    private static Object proxy(Class<?> type, Map<String, Function<Object, Object>> answers) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, called, arguments) -> {
            Object argument = arguments == null ? null : arguments[0];
            Function<Object, Object> answer = answers.get(called.getName());
            if (answer != null) return answer.apply(argument);
            switch (called.getName()) {
                case "equals": return self == argument;
                case "hashCode": return System.identityHashCode(self);
                case "toString": return type.getSimpleName();
                default: throw new UnsupportedOperationException(called + ", which kassay does not know yet");
            }
        });
    }

    private static Optional<Method> method(Class<?> of, String name) {
        return Arrays.stream(of.getMethods()).filter(each -> each.getName().equals(name)).findFirst();
    }

    private static Object get(Object from, String name) {
        return call(method(from.getClass(), name).orElseThrow(), from);
    }

    /** Calls a method and throws what it throws. */
    private static Object call(Method method, Object on, Object... arguments) {
        try {
            method.setAccessible(true); // answers may be of classes of the user's own that are not public
            return method.invoke(on, arguments);
        } catch (InvocationTargetException thrown) {
            throw Thrown.again(thrown.getCause());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
