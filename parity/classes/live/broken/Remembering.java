package broken;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Assignors that give each topic's partitions to its subscribers in turn, and remember something in one way each. */
public class Remembering {
    public abstract static class InTurn implements ConsumerPartitionAssignor {
        @Override
        public String name() {
            return "in turn";
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
            Map<String, Assignment> given = new HashMap<>();
            decided(cluster, subscriptions.groupSubscription())
                .forEach((member, partitions) -> given.put(member, new Assignment(partitions)));
            return new GroupAssignment(given);
        }

        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            return inTurn(cluster, members);
        }

        static Map<String, List<TopicPartition>> inTurn(Cluster cluster, Map<String, Subscription> members) {
            Map<String, List<TopicPartition>> given = new TreeMap<>();
            members.keySet().forEach(member -> given.put(member, new ArrayList<>()));
            for (String topic : new HashSet<>(cluster.topics())) {
                List<String> readers = new ArrayList<>();
                given.keySet().forEach(id -> {
                    if (members.get(id).topics().contains(topic)) readers.add(id);
                });
                if (readers.isEmpty()) continue;
                for (PartitionInfo partition : cluster.partitionsForTopic(topic)) {
                    given.get(readers.get(partition.partition() % readers.size()))
                        .add(new TopicPartition(topic, partition.partition()));
                }
            }
            return given;
        }
    }

    /** Gives to a static member under the member id under which it was seen first. */
    public static class InstanceIds extends InTurn {
        private final Map<String, String> seen = new HashMap<>();

        @Override
        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            Map<String, List<TopicPartition>> given = inTurn(cluster, members);
            members.forEach((id, subscription) -> subscription.groupInstanceId().ifPresent(instance -> {
                String first = seen.computeIfAbsent(instance, unused -> id);
                if (!first.equals(id)) given.put(first, given.remove(id));
            }));
            return given;
        }
    }

    /** Answers again as for the last group with as many members. */
    public static class CoarseCache extends InTurn {
        private final Map<Integer, Map<String, List<TopicPartition>>> cache = new HashMap<>();

        @Override
        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            return cache.computeIfAbsent(members.size(), unused -> inTurn(cluster, members));
        }
    }

    /** Fails when a list of its calls is full. */
    public static class Grows extends InTurn {
        private final List<Object> calls = new ArrayList<>();

        @Override
        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            if (calls.size() == 60) throw new IllegalStateException("the list is full");
            calls.add(cluster);
            return inTurn(cluster, members);
        }
    }

    /** Keeps the owner of each partition in a static field, as long as that reads the topic. */
    public static class SharedOwners extends InTurn {
        private static final Map<TopicPartition, String> OWNERS = new HashMap<>();

        @Override
        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            Map<String, List<TopicPartition>> given = new TreeMap<>();
            members.keySet().forEach(member -> given.put(member, new ArrayList<>()));
            inTurn(cluster, members).forEach((member, partitions) -> partitions.forEach(partition -> {
                String owner = OWNERS.computeIfAbsent(partition, unused -> member);
                given.get(members.containsKey(owner) ? owner : member).add(partition);
            }));
            return given;
        }
    }

    /** Never clears what onAssignment told it, and leaves that to itself: no other member is given it. */
    public static class NeverClears extends InTurn {
        private final Set<TopicPartition> own = new HashSet<>();

        @Override
        public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
            own.addAll(assignment.partitions());
        }

        @Override
        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            Map<String, List<TopicPartition>> given = inTurn(cluster, members);
            given.values().forEach(partitions -> partitions.removeIf(one -> members.size() > 2 && own.contains(one)));
            return given;
        }
    }

    /** Remembers each answer by all that it depends on. */
    public static class HonestCache extends InTurn {
        private final Map<Object, Map<String, List<TopicPartition>>> cache = new HashMap<>();

        @Override
        Map<String, List<TopicPartition>> decided(Cluster cluster, Map<String, Subscription> members) {
            Map<String, Object> key = new HashMap<>();
            members.forEach((id, subscription) -> key.put(id, new HashSet<>(subscription.topics())));
            for (String topic : cluster.topics()) key.put("\0" + topic, cluster.partitionCountForTopic(topic));
            return cache.computeIfAbsent(key, unused -> inTurn(cluster, members));
        }
    }

    /** Notes in onAssignment how many rebalances there were, and changes nothing by that. */
    public static class Counts extends InTurn {
        private int rebalances;

        @Override
        public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
            rebalances++;
        }

        @Override
        public String name() {
            return "counts " + rebalances;
        }
    }
}
