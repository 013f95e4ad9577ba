package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.AbstractStickyAssignor.MemberData;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Kafka's assignors, printing what the leader of a group was asked and what the class answered, as JSON on one line.
 *
 * <p>Members stand in the order in which the leader got them.
 */
public final class Logged {
    private Logged() {}

    public static final class Range
            extends org.apache.kafka.clients.consumer.RangeAssignor implements Configurable {
        private Object group;

        @Override
        public void configure(Map<String, ?> configs) {
            group = configs.get("group.id");
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription asked) {
            List<Object> members = members(asked);
            return logged(group, name(), cluster, asked, members, super.assign(cluster, asked));
        }
    }

    public static final class RoundRobin
            extends org.apache.kafka.clients.consumer.RoundRobinAssignor implements Configurable {
        private Object group;

        @Override
        public void configure(Map<String, ?> configs) {
            group = configs.get("group.id");
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription asked) {
            List<Object> members = members(asked);
            return logged(group, name(), cluster, asked, members, super.assign(cluster, asked));
        }
    }

    public static final class CooperativeSticky
            extends org.apache.kafka.clients.consumer.CooperativeStickyAssignor implements Configurable {
        private Object group;

        @Override
        public void configure(Map<String, ?> configs) {
            group = configs.get("group.id");
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription asked) {
            List<Object> members = members(asked);
            return logged(group, name(), cluster, asked, members, super.assign(cluster, asked));
        }
    }

    /** What members own stands in their user data here, which this class reads. */
    public static final class Sticky
            extends org.apache.kafka.clients.consumer.StickyAssignor implements Configurable {
        private Object group;

        @Override
        public void configure(Map<String, ?> configs) {
            group = configs.get("group.id");
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription asked) {
            List<Object> members = new ArrayList<>();
            asked.groupSubscription().forEach((id, subscription) -> {
                if (subscription.userData() != null) subscription.userData().mark();
                MemberData data = memberData(subscription);
                if (subscription.userData() != null) subscription.userData().reset();
                members.add(member(id, subscription, data.partitions, data.generation.orElse(-1)));
            });
            return logged(group, name(), cluster, asked, members, super.assign(cluster, asked));
        }
    }

    private static List<Object> members(GroupSubscription asked) {
        List<Object> members = new ArrayList<>();
        asked.groupSubscription().forEach((id, subscription) ->
            members.add(member(
                id, subscription, subscription.ownedPartitions(), subscription.generationId().orElse(-1))));
        return members;
    }

    private static Map<String, Object> member(
            String id, Subscription subscription, List<TopicPartition> owned, int generation) {
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("id", id);
        member.put("topics", subscription.topics());
        member.put("owned", Given.json(Map.of(id, owned)).get(id));
        member.put("generation", generation < 0 ? null : generation);
        member.put("instance_id", subscription.groupInstanceId().orElse(null));
        member.put("rack", subscription.rackId().orElse(null));
        return member;
    }

    private static GroupAssignment logged(
            Object group, String name, Cluster cluster, GroupSubscription asked, List<Object> members, GroupAssignment given) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("group_id", group);
        line.put("assignor", name);
        line.put("group", Map.of("topics", topics(cluster, asked), "members", members));
        line.put("assignment", Given.json(Given.lists(given.groupAssignment(), Assignment::partitions)));
        Members.print(line);
        return given;
    }

    private static List<Object> topics(Cluster cluster, GroupSubscription asked) {
        TreeSet<String> names = new TreeSet<>();
        asked.groupSubscription().values().forEach(subscription -> names.addAll(subscription.topics()));
        List<Object> topics = new ArrayList<>();
        for (String name : names) {
            List<PartitionInfo> partitions = new ArrayList<>(cluster.partitionsForTopic(name));
            partitions.sort((one, other) -> Integer.compare(one.partition(), other.partition()));
            List<Object> racks = new ArrayList<>();
            for (PartitionInfo partition : partitions) {
                List<Object> replicas = new ArrayList<>();
                for (Node replica : partition.replicas()) replicas.add(replica.rack());
                racks.add(replicas);
            }
            topics.add(Map.of("name", name, "partitions", partitions.size(), "racks", racks));
        }
        return topics;
    }
}
