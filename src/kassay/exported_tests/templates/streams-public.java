import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.processor.internals.assignment.DefaultKafkaStreamsState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskInfo;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskTopicPartition;

class @NAME@ {
    /** A topic with the racks of the replicas of each partition. */
    record Topic(String name, List<List<String>> racks) {}

    record Task(String id, boolean stateful, List<String> inputs, List<String> changelogs) {}

    record Client(
        String id, int threads, String rack, Map<String, String> tags, List<String> active, List<String> standby,
        Map<String, Long> lags, Map<String, List<String>> consumers) {}

    private final TaskAssignor assignor = new @ASSIGNOR@();

    @Test
    void @METHOD@() {
@BODY@
    }

    /** Returns the tasks of each client by role, and "probing" if another rebalance follows. */
    private Map<String, List<String>> assign(
            AssignmentConfigs configs, List<Topic> topics, List<Task> tasks, List<Client> clients) {
        Map<String, List<List<String>>> racks = topics.stream().collect(Collectors.toMap(Topic::name, Topic::racks));
        Map<TaskId, TaskInfo> infos = new HashMap<>();
        for (Task task : tasks) {
            Set<TopicPartition> inputs = partitions(task.inputs()), changelogs = partitions(task.changelogs());
            Set<TopicPartition> read = new HashSet<>(inputs);
            read.addAll(changelogs);
            Set<TaskTopicPartition> annotated = new HashSet<>();
            for (TopicPartition each : read) {
                DefaultTaskTopicPartition partition =
                    new DefaultTaskTopicPartition(each, inputs.contains(each), changelogs.contains(each), () -> { });
                List<List<String>> known = racks.getOrDefault(each.topic(), List.of());
                if (each.partition() < known.size() && !known.get(each.partition()).isEmpty()) {
                    partition.annotateWithRackIds(known.get(each.partition()).stream()
                        .filter(rack -> rack != null).collect(Collectors.toSet()));
                }
                annotated.add(partition);
            }
            TaskId id = TaskId.parse(task.id());
            Set<String> stores = changelogs.stream().map(TopicPartition::topic).collect(Collectors.toSet());
            infos.put(id, new DefaultTaskInfo(id, task.stateful(), stores, annotated));
        }
        ApplicationState application = new ApplicationState() {
            @Override
            public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags) {
                Map<ProcessId, KafkaStreamsState> states = new HashMap<>();
                for (Client client : clients) {
                    ProcessId id = new ProcessId(UUID.fromString(client.id()));
                    Map<String, Set<TaskId>> consumers = new TreeMap<>();
                    client.consumers().forEach((consumer, held) -> consumers.put(consumer, ids(held)));
                    Map<TaskId, Long> lags = client.lags().entrySet().stream()
                        .collect(Collectors.toMap(each -> TaskId.parse(each.getKey()), Map.Entry::getValue));
                    states.put(id, new DefaultKafkaStreamsState(
                        id, client.threads(), client.tags(), ids(client.active()), ids(client.standby()),
                        new TreeMap<>(consumers), Optional.empty(), computeTaskLags ? Optional.of(lags) : Optional.empty(),
                        Optional.ofNullable(client.rack())));
                }
                return states;
            }

            @Override
            public AssignmentConfigs assignmentConfigs() {
                return configs;
            }

            @Override
            public Map<TaskId, TaskInfo> allTasks() {
                return infos;
            }
        };
        Map<String, List<String>> answer = new LinkedHashMap<>();
        for (KafkaStreamsAssignment client : assignor.assign(application).assignment()) {
            Function<KafkaStreamsAssignment.AssignedTask.Type, List<String>> given = role -> client.tasks().values().stream()
                .filter(task -> task.type() == role).map(KafkaStreamsAssignment.AssignedTask::id).sorted().map(TaskId::toString).toList();
            UUID id = client.processId().id();
            answer.put(id + " active", given.apply(KafkaStreamsAssignment.AssignedTask.Type.ACTIVE));
            answer.put(id + " standby", given.apply(KafkaStreamsAssignment.AssignedTask.Type.STANDBY));
            if (client.followupRebalanceDeadline().isPresent()) answer.put("probing", List.of("yes"));
        }
        return answer;
    }

    private static TreeSet<TaskId> ids(List<String> tasks) {
        return tasks.stream().map(TaskId::parse).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<TopicPartition> partitions(List<String> names) {
        return names.stream().map(name -> new TopicPartition(
            name.substring(0, name.lastIndexOf('-')), Integer.parseInt(name.substring(name.lastIndexOf('-') + 1))))
            .collect(Collectors.toSet());
    }
@HELPERS@}
