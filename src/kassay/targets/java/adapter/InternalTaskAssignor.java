package kassay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;

/** An assignor of the internal interface of Kafka Streams: LegacyTaskAssignor, named TaskAssignor before 3.8. */
final class InternalTaskAssignor implements Assignor {
    private final Class<?> assignor;
    private final Method assign;
    private final Release release;
    private final Object leader;

    /** Takes a class and the method by which its release asks it. */
    InternalTaskAssignor(Class<?> assignor, Method assign) throws ReflectiveOperationException {
        this(assignor, assign, new Release(assign.getParameterTypes()), null);
    }

    /** Leader is the instance to ask always, null for a fresh one each time. */
    private InternalTaskAssignor(Class<?> assignor, Method assign, Release release, Object leader) {
        this.assignor = assignor;
        this.assign = assign;
        this.release = release;
        this.leader = leader;
    }

    @Override
    public String family() {
        return "streams";
    }

    @Override
    public boolean isKept() {
        return false;
    }

    @Override
    public Assignor keeping() {
        return new InternalTaskAssignor(assignor, assign, release, Loading.fresh(assignor, Settings.USUAL.configs()));
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> group) {
        Application application = new Application(group);
        Object settings;
        try {
            settings = release.settings(application.settings);
        } catch (ConfigException notInThisRelease) {
            return Map.of("skipped", "no client of this release could be configured so: " + notInThisRelease.getMessage());
        }
        Map<String, ClientState> states = new LinkedHashMap<>();
        Map<Object, ClientState> clients = new HashMap<>();
        for (Application.Client client : application.clients) {
            ClientState state = release.state(client);
            states.put(client.id.toString(), state);
            clients.put(release.process(client.id), state);
        }
        boolean probing = assign(application, settings, clients);
        TaskAnswer answer = new TaskAnswer();
        states.forEach((client, state) -> answer.give(client, state.activeTasks(), state.standbyTasks()));
        return answer.json(probing);
    }

    private boolean assign(Application application, Object settings, Map<Object, ClientState> clients) {
        Set<TaskId> all = new HashSet<>(), stateful = new HashSet<>();
        for (Application.Task task : application.tasks) {
            all.add(task.id);
            if (task.stateful) stateful.add(task.id);
        }
        List<Object> given = new ArrayList<>(List.of(clients, all, stateful));
        if (release.hasRacks()) given.add(release.racks(application, settings));
        given.add(settings);
        Object asked = leader == null ? Loading.instance(assignor) : leader;
        try {
            return (boolean) assign.invoke(Loading.configured(asked, application.configs()), given.toArray());
        } catch (InvocationTargetException thrown) {
            throw Thrown.again(thrown.getCause());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
