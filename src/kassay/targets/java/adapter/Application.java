package kassay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;

/** An application of Kafka Streams as the adapter protocol writes it, in terms that all its releases have. */
final class Application {
    /** A task; a partition that is its source and its changelog stands in both. */
    static final class Task {
        TaskId id;
        boolean stateful;
        Set<TopicPartition> inputs;
        Set<TopicPartition> changelogs;
    }

    /** A client; rack is null where it gives none, consumers are empty where they are not told apart. */
    static final class Client {
        UUID id;
        int threads;
        String rack;
        Map<String, String> tags = new HashMap<>();
        Set<TaskId> active;
        Set<TaskId> standby;
        Map<TaskId, Long> lags = new HashMap<>();
        Map<String, Set<TaskId>> consumers = new HashMap<>();
    }

    final List<Task> tasks = new ArrayList<>();
    final List<Client> clients = new ArrayList<>();
    final Settings settings;
    final Brokers brokers = new Brokers();
    /** Where partitions are, without those of which that is not known. */
    final Map<TopicPartition, PartitionInfo> partitions = new LinkedHashMap<>();

    /** Reads an application from decoded JSON; tasks and clients keep their order. */
    Application(Map<?, ?> json) {
        settings = new Settings(object(json.get("config")));
        for (Object topic : list(json.get("topics"))) addPartitions((Map<?, ?>) topic);
        for (Object task : list(json.get("tasks"))) tasks.add(task((Map<?, ?>) task));
        for (Object client : list(json.get("clients"))) clients.add(client((Map<?, ?>) client));
    }

    /** Makes a map with an entry for each task, filled in their order. */
    <V> Map<TaskId, V> ofTasks(Function<Task, V> value) {
        Map<TaskId, V> values = new HashMap<>();
        for (Task task : tasks) values.put(task.id, value.apply(task));
        return values;
    }

    /** Makes what the first client is configured with: it leads the others, and assigns for them. */
    Map<String, Object> configs() {
        Map<String, Object> configs = settings.configs();
        if (!clients.isEmpty()) clients.get(0).tags.forEach((tag, value) -> configs.put("client.tag." + tag, value));
        return configs;
    }

    private void addPartitions(Map<?, ?> topic) {
        String name = (String) topic.get("name");
        List<?> racks = list(topic.get("racks"));
        for (int n = 0; n < racks.size(); n++) {
            List<?> known = list(racks.get(n));
            if (!known.isEmpty()) partitions.put(new TopicPartition(name, n), brokers.partition(name, n, known));
        }
    }

    private static Task task(Map<?, ?> json) {
        Task task = new Task();
        task.id = TaskId.parse((String) json.get("id"));
        task.stateful = Boolean.TRUE.equals(json.get("stateful"));
        task.inputs = partitions(json.get("inputs"));
        task.changelogs = partitions(json.get("changelogs"));
        return task;
    }

    private static Client client(Map<?, ?> json) {
        Client client = new Client();
        client.id = UUID.fromString((String) json.get("id"));
        client.threads = Group.number(json.get("threads"));
        client.rack = (String) json.get("rack");
        object(json.get("tags")).forEach((tag, value) -> client.tags.put((String) tag, (String) value));
        client.active = ids(list(json.get("active")));
        client.standby = ids(list(json.get("standby")));
        object(json.get("lags")).forEach((task, lag) -> client.lags.put(TaskId.parse((String) task), (Long) lag));
        object(json.get("consumers")).forEach(
            (consumer, sums) -> client.consumers.put((String) consumer, ids(object(sums).keySet())));
        return client;
    }

    private static Set<TopicPartition> partitions(Object json) {
        Set<TopicPartition> partitions = new HashSet<>();
        for (Object pair : list(json)) {
            List<?> partition = (List<?>) pair;
            partitions.add(new TopicPartition((String) partition.get(0), Group.number(partition.get(1))));
        }
        return partitions;
    }

    private static Set<TaskId> ids(Collection<?> json) {
        Set<TaskId> ids = new HashSet<>();
        for (Object task : json) ids.add(TaskId.parse((String) task));
        return ids;
    }

    private static Map<?, ?> object(Object json) {
        return json == null ? Map.of() : (Map<?, ?>) json;
    }

    private static List<?> list(Object json) {
        return json == null ? List.of() : (List<?>) json;
    }
}
