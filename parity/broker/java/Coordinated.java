package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.ShareGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.SimpleAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

/**
 * Kafka's assignors of the group coordinator, printing what they were asked and what they answered, as JSON on one line.
 *
 * <p>Topics are named by their ids, as the coordinator names them. Members, their topics and what they own stand in the order in which
 * the assignor gets them.
 */
public final class Coordinated {
    private Coordinated() {}

    public static final class Uniform extends Logging implements ConsumerGroupPartitionAssignor {
        public Uniform() {
            super(new UniformAssignor());
        }
    }

    public static final class Range extends Logging implements ConsumerGroupPartitionAssignor {
        public Range() {
            super(new RangeAssignor());
        }
    }

    public static final class Simple extends Logging implements ShareGroupPartitionAssignor {
        public Simple() {
            super(new SimpleAssignor());
        }
    }

    private abstract static class Logging implements PartitionAssignor {
        private final PartitionAssignor own;

        Logging(PartitionAssignor own) {
            this.own = own;
        }

        @Override
        public String name() {
            return own.name();
        }

        @Override
        public GroupAssignment assign(GroupSpec asked, SubscribedTopicDescriber topics) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("coordinated", name());
            line.put("group", group(asked, topics));
            GroupAssignment given = own.assign(asked, topics);
            Map<String, Object> assignment = new LinkedHashMap<>();
            given.members().forEach((id, member) -> assignment.put(id, pairs(member)));
            line.put("assignment", assignment);
            StringBuilder text = new StringBuilder("\n");
            Json.write(line, text);
            System.out.println(text);
            System.out.flush();
            return given;
        }
    }

    private static Map<String, Object> group(GroupSpec asked, SubscribedTopicDescriber described) {
        Set<Uuid> ids = new LinkedHashSet<>();
        List<Object> members = new ArrayList<>();
        for (String id : asked.memberIds()) {
            MemberSubscription subscription = asked.memberSubscription(id);
            ids.addAll(subscription.subscribedTopicIds());
            List<Object> topics = new ArrayList<>();
            for (Uuid topic : subscription.subscribedTopicIds()) topics.add(topic.toString());
            Map<String, Object> member = new LinkedHashMap<>();
            member.put("id", id);
            member.put("topics", topics);
            member.put("owned", pairs(asked.memberAssignment(id)));
            member.put("instance_id", subscription.instanceId().orElse(null));
            member.put("rack", subscription.rackId().orElse(null));
            members.add(member);
        }
        List<Object> topics = new ArrayList<>();
        for (Uuid id : ids) {
            Map<String, Object> topic = new LinkedHashMap<>();
            topic.put("name", id.toString());
            topic.put("id", id.toString());
            topic.put("partitions", described.numPartitions(id));
            List<Object> unassignable = new ArrayList<>();
            for (int number = 0; number < described.numPartitions(id); number++) {
                if (!asked.isPartitionAssignable(id, number)) unassignable.add(number);
            }
            if (!unassignable.isEmpty()) topic.put("unassignable", unassignable);
            topics.add(topic);
        }
        return Map.of("topics", topics, "members", members);
    }

    private static List<Object> pairs(MemberAssignment given) {
        List<Object> pairs = new ArrayList<>();
        given.partitions().forEach((topic, numbers) -> {
            for (int number : numbers) pairs.add(List.of(topic.toString(), number));
        });
        return pairs;
    }
}
