package kassay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** A group as the adapter protocol writes it, in Kafka's own terms: the cluster's metadata, and the members. */
final class Group {
    static final int NO_GENERATION = -1;

    /** A member; generation is NO_GENERATION, instance and rack are null where it gives none. */
    static final class Member {
        String id;
        List<String> topics;
        List<TopicPartition> owned = Collections.emptyList();
        int generation = NO_GENERATION;
        String instance;
        String rack;

        /** Tells whether the member has been given anything before, be it nothing. */
        boolean hasHistory() {
            return !owned.isEmpty() || generation != NO_GENERATION;
        }
    }

    final List<Member> members = new ArrayList<>();
    final Cluster cluster;

    private final Map<String, Node> brokers = new LinkedHashMap<>();

    /** Reads a group from decoded JSON; topics and members keep their order. */
    Group(Map<?, ?> json) {
        List<PartitionInfo> partitions = new ArrayList<>();
        for (Object topic : (List<?>) json.get("topics")) addPartitions((Map<?, ?>) topic, partitions);
        cluster = new Cluster(
            "kassay", brokers.values(), partitions, Collections.emptySet(), Collections.emptySet());
        for (Object member : (List<?>) json.get("members")) members.add(member((Map<?, ?>) member));
    }

    private void addPartitions(Map<?, ?> topic, List<PartitionInfo> partitions) {
        String name = (String) topic.get("name");
        List<?> racks = (List<?>) topic.get("racks");
        for (int n = 0; n < number(topic.get("partitions")); n++) {
            Node[] replicas = replicas(racks == null ? null : (List<?>) racks.get(n));
            partitions.add(new PartitionInfo(name, n, replicas[0], replicas, replicas));
        }
    }

    /** Gives a partition one broker per rack listed, or one without a rack; a broker is in one rack only. */
    private Node[] replicas(List<?> racks) {
        if (racks == null || racks.isEmpty()) racks = Collections.singletonList(null);
        Node[] replicas = new Node[racks.size()];
        Map<Object, Integer> seen = new HashMap<>();
        for (int n = 0; n < replicas.length; n++) {
            String rack = (String) racks.get(n);
            int nth = seen.merge(rack, 1, Integer::sum);
            replicas[n] = brokers.computeIfAbsent(
                nth + ":" + (rack == null ? "" : "in " + rack),
                unknown -> new Node(brokers.size(), "broker", 9092, rack));
        }
        return replicas;
    }

    private static Member member(Map<?, ?> json) {
        Member member = new Member();
        member.id = (String) json.get("id");
        member.topics = new ArrayList<>();
        for (Object topic : (List<?>) json.get("topics")) member.topics.add((String) topic);
        if (json.get("owned") != null) {
            member.owned = new ArrayList<>();
            for (Object pair : (List<?>) json.get("owned")) {
                List<?> partition = (List<?>) pair;
                member.owned.add(new TopicPartition((String) partition.get(0), number(partition.get(1))));
            }
        }
        if (json.get("generation") != null) member.generation = number(json.get("generation"));
        member.instance = (String) json.get("instance_id");
        member.rack = (String) json.get("rack");
        return member;
    }

    private static int number(Object value) {
        return Math.toIntExact((Long) value);
    }
}
