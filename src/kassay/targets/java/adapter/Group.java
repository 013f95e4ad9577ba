package kassay;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** A group as the adapter protocol writes it, in Kafka's own terms: the cluster's metadata, and the members. */
final class Group {
    static final int NO_GENERATION = -1;

    /** A member; generation is NO_GENERATION; instance, rack and user data are null where it gives none. */
    static final class Member {
        String id;
        List<String> topics;
        List<TopicPartition> owned = Collections.emptyList();
        int generation = NO_GENERATION;
        String instance;
        String rack;
        byte[] userData;

        /** Tells whether the member has been given anything before, be it nothing. */
        boolean hasHistory() {
            return !owned.isEmpty() || generation != NO_GENERATION;
        }
    }

    final List<Member> members = new ArrayList<>();
    final Cluster cluster;

    private final Brokers brokers = new Brokers();

    /** Reads a group from decoded JSON; topics and members keep their order. */
    Group(Map<?, ?> json) {
        List<PartitionInfo> partitions = new ArrayList<>();
        for (Object topic : (List<?>) json.get("topics")) addPartitions((Map<?, ?>) topic, partitions);
        cluster = new Cluster(
            "kassay", brokers.all(), partitions, Collections.emptySet(), Collections.emptySet());
        for (Object member : (List<?>) json.get("members")) members.add(member((Map<?, ?>) member));
    }

    private void addPartitions(Map<?, ?> topic, List<PartitionInfo> partitions) {
        List<?> racks = (List<?>) topic.get("racks");
        for (int n = 0; n < number(topic.get("partitions")); n++) {
            List<?> known = racks == null ? null : (List<?>) racks.get(n);
            boolean unknown = known == null || known.isEmpty();
            partitions.add(brokers.partition(
                (String) topic.get("name"), n, unknown ? Collections.singletonList(null) : known));
        }
    }

    /** Reads a member from decoded JSON. */
    static Member member(Map<?, ?> json) {
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
        String userData = (String) json.get("user_data");
        if (userData != null) member.userData = Base64.getDecoder().decode(userData);
        return member;
    }

    /** Makes what a consumer of this group is configured with: a member, or null for one that leads it. */
    static Map<String, Object> configs(Member of) {
        Map<String, Object> configs = new HashMap<>();
        configs.put("group.id", Loading.GROUP);
        if (of != null && of.rack != null) configs.put("client.rack", of.rack);
        if (of != null && of.instance != null) configs.put("group.instance.id", of.instance);
        return configs;
    }

    /** Reads a number of Java's size. */
    static int number(Object value) {
        return Math.toIntExact((Long) value);
    }
}
