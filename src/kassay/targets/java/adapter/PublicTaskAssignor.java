package kassay;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.processor.internals.assignment.DefaultKafkaStreamsState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskInfo;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskTopicPartition;

/** An assignor of the public interface of Kafka Streams (KIP-924; 3.8 and later). */
final class PublicTaskAssignor implements Assignor {
    private final Class<?> assignor;
    private final Object leader;

    /** Takes a class; leader is the instance to ask always, null for a fresh one each time. */
    PublicTaskAssignor(Class<?> assignor, Object leader) {
        this.assignor = assignor;
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
        return new PublicTaskAssignor(assignor, Loading.fresh(assignor, Settings.USUAL.configs()));
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> group) {
        Application application = new Application(group);
        Object asked = leader == null ? Loading.instance(assignor) : leader;
        Loading.configured(asked, application.configs());
        TaskAssignment given = ((TaskAssignor) asked).assign(new State(application));
        String wrong = wrong(given);
        if (wrong != null) return Map.of("error", Given.NO_ASSIGNMENT + wrong);
        TaskAnswer answer = new TaskAnswer();
        boolean probing = false;
        for (KafkaStreamsAssignment client : given.assignment()) {
            answer.give(
                client.processId().toString(), of(client, AssignedTask.Type.ACTIVE), of(client, AssignedTask.Type.STANDBY));
            probing |= client.followupRebalanceDeadline().isPresent();
        }
        return answer.json(probing);
    }

    /** Says where there is a null that JSON has no place for; null where there is none. */
    private static String wrong(TaskAssignment given) {
        if (given == null || given.assignment() == null) return "null";
        for (KafkaStreamsAssignment client : given.assignment()) {
            if (client == null) return "null for the tasks of a client";
            if (client.processId() == null) return "null for a client";
        }
        return null;
    }

    private static Set<TaskId> of(KafkaStreamsAssignment client, AssignedTask.Type role) {
        return client.tasks().values().stream()
            .filter(task -> task.type() == role).map(AssignedTask::id).collect(Collectors.toSet());
    }

    /** What an assignor is shown of an application. */
    private static final class State implements ApplicationState {
        private final Application application;

        State(Application application) {
            this.application = application;
        }

        @Override
        public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags) {
            Map<ProcessId, KafkaStreamsState> states = new HashMap<>();
            for (Application.Client client : application.clients) {
                ProcessId id = new ProcessId(client.id);
                states.put(id, new DefaultKafkaStreamsState(
                    id, client.threads, client.tags, new TreeSet<>(client.active), new TreeSet<>(client.standby),
                    new TreeMap<>(client.consumers), Optional.empty(),
                    computeTaskLags ? Optional.of(client.lags) : Optional.empty(), Optional.ofNullable(client.rack)));
            }
            return states;
        }

        @Override
        public AssignmentConfigs assignmentConfigs() {
            Settings settings = application.settings;
            return new AssignmentConfigs(
                settings.acceptableRecoveryLag, settings.warmups, settings.standbys, Settings.PROBING_INTERVAL_MS,
                settings.tags, Release.optional(settings.trafficCost), Release.optional(settings.nonOverlapCost),
                settings.strategy);
        }

        @Override
        public Map<TaskId, TaskInfo> allTasks() {
            return Collections.unmodifiableMap(application.ofTasks(this::info));
        }

        private TaskInfo info(Application.Task task) {
            Set<TopicPartition> read = new HashSet<>(task.inputs);
            read.addAll(task.changelogs);
            Set<TaskTopicPartition> partitions = new HashSet<>();
            for (TopicPartition partition : read) {
                partitions.add(known(new DefaultTaskTopicPartition(
                    partition, task.inputs.contains(partition), task.changelogs.contains(partition), () -> { })));
            }
            // Groups name no stores; users' own code shows them at most.
            Set<String> stores = task.changelogs.stream().map(TopicPartition::topic).collect(Collectors.toSet());
            return new DefaultTaskInfo(task.id, task.stateful, stores, partitions);
        }

        /** Adds the racks of a partition's replicas as Kafka's RackUtils does: those that are known, which may be none of them. */
        private DefaultTaskTopicPartition known(DefaultTaskTopicPartition partition) {
            PartitionInfo info = application.partitions.get(partition.topicPartition());
            if (info == null || info.replicas().length == 0) return partition;
            Set<String> racks = new HashSet<>();
            for (Node replica : info.replicas()) if (replica.rack() != null) racks.add(replica.rack());
            partition.annotateWithRackIds(racks);
            return partition;
        }
    }
}
