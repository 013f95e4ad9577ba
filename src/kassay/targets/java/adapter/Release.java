package kassay;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;

/**
 * What a release of Kafka Streams gives its internal assignors, made by reflection as it differs.
 *
 * <p>Until 3.1 neither states nor settings know tags: a group with tags is one without them. Until 3.5 clients are named by
 * UUID, and settings know no racks. 3.6 brought RackAwareTaskAssignor, settings for it, and
 * states that know their client. From 3.8 on clients are named by ProcessId, and the settings are a public class.
 */
final class Release {
    private static final String STREAMS = "org.apache.kafka.streams.processor.";
    private static final int WITH_RACKS = 5;
    private static final int WITHOUT_TAGS = 4;

    private final Constructor<?> processId;
    private final Constructor<?> state;
    private final Constructor<?> settings;
    private final Constructor<?> racks;

    /** Takes what the method of its assignors takes: clients, tasks, stateful ones, in some releases racks, and settings. */
    Release(Class<?>[] taken) throws ReflectiveOperationException {
        boolean hasRacks = taken.length == WITH_RACKS;
        Class<?> settingsClass = taken[taken.length - 1];
        boolean settingsArePublic = settingsClass.getEnclosingClass() == null;
        boolean hasTags = Arrays.stream(ClientState.class.getMethods()).anyMatch(each -> each.getName().equals("clientTags"));
        processId = settingsArePublic ? Class.forName(STREAMS + "assignment.ProcessId").getConstructor(UUID.class) : null;
        state = constructor(ClientState.class, hasRacks ? 6 : hasTags ? 5 : WITHOUT_TAGS, Set.class, 0);
        settings = constructor(
            settingsClass, hasRacks ? 8 : hasTags ? 5 : WITHOUT_TAGS,
            settingsArePublic ? OptionalInt.class : Integer.class, hasRacks ? 5 : 1);
        racks = hasRacks ? taken[taken.length - 2].getConstructors()[0] : null;
    }

    /** Finds the constructor of so many parameters, one of which has a type. */
    private static Constructor<?> constructor(Class<?> of, int parameters, Class<?> type, int nth) {
        for (Constructor<?> found : of.getDeclaredConstructors()) {
            Class<?>[] types = found.getParameterTypes();
            if (types.length == parameters && types[nth] == type) {
                found.setAccessible(true);
                return found;
            }
        }
        throw new IllegalStateException("no constructor of " + of + " with " + parameters + " parameters");
    }

    /** Tells whether assignors are given racks. */
    boolean hasRacks() {
        return racks != null;
    }

    Object process(UUID id) {
        return processId == null ? id : Loading.make(processId, id);
    }

    ClientState state(Application.Client client) {
        if (state.getParameterCount() == WITHOUT_TAGS) {
            return (ClientState) make(state, client.active, client.standby, client.lags, client.threads);
        }
        return (ClientState) make(
            state, client.active, client.standby, client.lags, client.tags, client.threads, process(client.id));
    }

    Object settings(Settings of) {
        boolean optional = processId != null;
        return make(
            settings, of.acceptableRecoveryLag, of.warmups, of.standbys, Settings.PROBING_INTERVAL_MS, of.tags,
            optional ? optional(of.trafficCost) : of.trafficCost,
            optional ? optional(of.nonOverlapCost) : of.nonOverlapCost,
            of.strategy);
    }

    /** Makes Kafka's rack-aware assignor of an application, which each of its clients' consumers tells its rack. */
    Object racks(Application application, Object settings) {
        Map<Subtopology, Set<TaskId>> subtopologies = new HashMap<>();
        for (Application.Task task : application.tasks) {
            subtopologies
                .computeIfAbsent(new Subtopology(task.id.subtopology(), null), unknown -> new HashSet<>())
                .add(task.id);
        }
        Map<Object, Map<String, Optional<String>>> clients = new HashMap<>();
        for (Application.Client client : application.clients) {
            clients.put(process(client.id), Map.of("consumer", Optional.ofNullable(client.rack)));
        }
        Cluster cluster = new Cluster(
            "kassay", application.brokers.all(), application.partitions.values(), Collections.emptySet(), Collections.emptySet());
        return make(
            racks, cluster, application.ofTasks(task -> task.inputs), application.ofTasks(task -> task.changelogs),
            subtopologies, clients, new FixedTopics(application), settings, Time.SYSTEM);
    }

    static OptionalInt optional(Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }

    /** Calls a constructor with as many of the values as it takes. */
    private static Object make(Constructor<?> constructor, Object... values) {
        return Loading.make(constructor, Arrays.copyOf(values, constructor.getParameterCount()));
    }
}
