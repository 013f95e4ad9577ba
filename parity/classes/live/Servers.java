package own;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.ShareGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;

/** Server-side assignors as users may write them. */
public final class Servers {
    /** Deals each topic's partitions to its subscribers in turn, or to all of them. */
    public abstract static class Dealing implements PartitionAssignor {
        private final boolean shared;

        Dealing(boolean shared) {
            this.shared = shared;
        }

        @Override
        public String name() {
            return "own";
        }

        @Override
        public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
            Map<String, Map<Uuid, Set<Integer>>> given = new HashMap<>();
            Map<Uuid, List<String>> readers = new HashMap<>();
            for (String member : group.memberIds()) {
                given.put(member, new HashMap<>());
                for (Uuid topic : group.memberSubscription(member).subscribedTopicIds()) {
                    readers.computeIfAbsent(topic, unseen -> new ArrayList<>()).add(member);
                }
            }
            readers.forEach((topic, members) -> {
                for (int n = 0; n < topics.numPartitions(topic); n++) {
                    for (int m = 0; m < members.size(); m++) {
                        if (!shared && m != n % members.size()) continue;
                        given.get(members.get(m)).computeIfAbsent(topic, unseen -> new HashSet<>()).add(n);
                    }
                }
            });
            Map<String, MemberAssignment> answer = new HashMap<>();
            given.forEach((member, partitions) -> answer.put(member, () -> partitions));
            return new GroupAssignment(answer);
        }
    }

    /** Of consumer groups. */
    public static final class InTurn extends Dealing implements ConsumerGroupPartitionAssignor {
        public InTurn() {
            super(false);
        }
    }

    /** Of share groups. */
    public static final class ToAll extends Dealing implements ShareGroupPartitionAssignor {
        public ToAll() {
            super(true);
        }
    }

    /** Gives null for a member. */
    public static final class Nulls implements ConsumerGroupPartitionAssignor {
        @Override
        public String name() {
            return "nulls";
        }

        @Override
        public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
            Map<String, MemberAssignment> answer = new HashMap<>();
            group.memberIds().forEach(member -> answer.put(member, null));
            return new GroupAssignment(answer);
        }
    }
}
