package kassay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;

/** Tells of an application's topics what its group says, where Kafka asks brokers (3.6 and later). */
final class FixedTopics extends InternalTopicManager {
    private static final StreamsConfig CONFIG = new StreamsConfig(Settings.USUAL.configs());

    private final Map<String, List<TopicPartitionInfo>> known = new HashMap<>();

    FixedTopics(Application application) {
        super(Time.SYSTEM, null, CONFIG);
        for (PartitionInfo partition : application.partitions.values()) {
            List<Node> replicas = List.of(partition.replicas());
            known.computeIfAbsent(partition.topic(), unknown -> new ArrayList<>())
                .add(new TopicPartitionInfo(partition.partition(), partition.leader(), replicas, replicas));
        }
    }

    /** Returns what is known of topics; overrides what releases before 3.6 do not have. */
    public Map<String, List<TopicPartitionInfo>> getTopicPartitionInfo(Set<String> topics) {
        Map<String, List<TopicPartitionInfo>> told = new HashMap<>(known);
        told.keySet().retainAll(topics);
        return told;
    }
}
