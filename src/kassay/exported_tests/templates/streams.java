import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

class @NAME@ {
    /** A topic with the racks of the replicas of each partition. */
    record Topic(String name, List<List<String>> racks) {}

    record Task(String id, boolean stateful, List<String> inputs, List<String> changelogs) {}

    record Client(
        String id, int threads, String rack, Map<String, String> tags, List<String> active, List<String> standby,
        Map<String, Long> lags, Map<String, List<String>> consumers) {}

    @Test
    void @METHOD@() {
@BODY@
    }

    /** Returns the tasks of each client by role, and "probing" if another rebalance follows. */
    private static Map<String, List<String>> assign(
            AssignmentConfigs configs, List<Topic> topics, List<Task> tasks, List<Client> clients) {
        Map<ProcessId, ClientState> states = new HashMap<>();
        Map<ProcessId, Map<String, Optional<String>>> racks = new HashMap<>();
        for (Client client : clients) {
            ProcessId id = new ProcessId(UUID.fromString(client.id()));
            states.put(id, new ClientState(
                ids(client.active()), ids(client.standby()),
                client.lags().entrySet().stream().collect(Collectors.toMap(each -> TaskId.parse(each.getKey()), Map.Entry::getValue)),
                client.tags(), client.threads(), id));
            racks.put(id, Map.of("consumer", Optional.ofNullable(client.rack())));
        }
        Map<TaskId, Set<TopicPartition>> inputs = new HashMap<>(), changelogs = new HashMap<>();
        Map<Subtopology, Set<TaskId>> subtopologies = new HashMap<>();
        Set<TaskId> stateful = new HashSet<>();
        for (Task task : tasks) {
            TaskId id = TaskId.parse(task.id());
            if (task.stateful()) stateful.add(id);
            inputs.put(id, partitions(task.inputs()));
            changelogs.put(id, partitions(task.changelogs()));
            subtopologies.computeIfAbsent(new Subtopology(id.subtopology(), null), unseen -> new HashSet<>()).add(id);
        }
        Map<String, Node> brokers = new LinkedHashMap<>();
        List<PartitionInfo> partitions = new ArrayList<>();
        for (Topic topic : topics) {
            for (int number = 0; number < topic.racks().size(); number++) {
                List<String> homes = topic.racks().get(number);
                if (homes.isEmpty()) continue;
                Node[] replicas = new Node[homes.size()];
                for (int at = 0; at < replicas.length; at++) {
                    String rack = homes.get(at);
                    int nth = java.util.Collections.frequency(homes.subList(0, at), rack);
                    replicas[at] = brokers.computeIfAbsent(
                        nth + " in " + rack, unseen -> new Node(brokers.size(), "broker", 9092, rack));
                }
                partitions.add(new PartitionInfo(topic.name(), number, replicas[0], replicas, replicas));
            }
        }
        Map<String, Object> settings = Map.of("application.id", "application", "bootstrap.servers", "localhost:9092");
        InternalTopicManager manager = new InternalTopicManager(Time.SYSTEM, null, new StreamsConfig(settings)) {
            @Override
            public Map<String, List<TopicPartitionInfo>> getTopicPartitionInfo(Set<String> names) {
                return partitions.stream().filter(each -> names.contains(each.topic())).collect(Collectors.groupingBy(
                    PartitionInfo::topic, Collectors.mapping(each -> new TopicPartitionInfo(
                        each.partition(), each.leader(), List.of(each.replicas()), List.of(each.replicas())), Collectors.toList())));
            }
        };
        RackAwareTaskAssignor rackAware = new RackAwareTaskAssignor(
            new Cluster("cluster", brokers.values(), partitions, Set.of(), Set.of()),
            inputs, changelogs, subtopologies, racks, manager, configs, Time.SYSTEM);
        boolean probing = new @ASSIGNOR@().assign(states, new HashSet<>(inputs.keySet()), stateful, rackAware, configs);
        Map<String, List<String>> answer = new LinkedHashMap<>();
        for (Client client : clients) {
            ClientState state = states.get(new ProcessId(UUID.fromString(client.id())));
            answer.put(client.id() + " active", names(state.activeTasks()));
            answer.put(client.id() + " standby", names(state.standbyTasks()));
        }
        if (probing) answer.put("probing", List.of("yes"));
        return answer;
    }

    private static Set<TaskId> ids(List<String> tasks) {
        return tasks.stream().map(TaskId::parse).collect(Collectors.toSet());
    }

    private static List<String> names(Set<TaskId> tasks) {
        return new TreeSet<>(tasks).stream().map(TaskId::toString).toList();
    }

    private static Set<TopicPartition> partitions(List<String> names) {
        return names.stream().map(name -> new TopicPartition(
            name.substring(0, name.lastIndexOf('-')), Integer.parseInt(name.substring(name.lastIndexOf('-') + 1))))
            .collect(Collectors.toSet());
    }
@HELPERS@}
