package kassay;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;

/** The brokers that hold a group's partitions: as few as there can be, for a group names racks only. */
final class Brokers {
    private final Map<String, Node> brokers = new LinkedHashMap<>();

    Collection<Node> all() {
        return brokers.values();
    }

    /** Gives a partition one broker per rack listed, null for one without a rack; a broker is in one rack only. */
    PartitionInfo partition(String topic, int number, List<?> racks) {
        Node[] replicas = new Node[racks.size()];
        Map<Object, Integer> seen = new HashMap<>();
        for (int n = 0; n < replicas.length; n++) {
            String rack = (String) racks.get(n);
            int nth = seen.merge(rack, 1, Integer::sum);
            replicas[n] = brokers.computeIfAbsent(
                nth + ":" + (rack == null ? "" : "in " + rack),
                unknown -> new Node(brokers.size(), "broker", 9092, rack));
        }
        return new PartitionInfo(topic, number, replicas[0], replicas, replicas);
    }
}
