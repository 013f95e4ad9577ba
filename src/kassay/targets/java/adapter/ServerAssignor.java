package kassay;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;

/**
 * An assignor that a group coordinator runs (3.8 and later): ConsumerGroupPartitionAssignor or ShareGroupPartitionAssignor.
 *
 * <p>Methods that came later than 3.8 do not override anything there: instanceId (3.9), isPartitionAssignable (4.1).
 */
final class ServerAssignor implements Assignor {
    private final Class<?> assignor;
    private final String family;
    private PartitionAssignor kept;

    ServerAssignor(Class<?> assignor, String family) {
        this.assignor = assignor;
        this.family = family;
    }

    @Override
    public String family() {
        return family;
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> json) {
        ServerGroup group = new ServerGroup(json);
        return written(group, ready(group, kept == null ? fresh() : kept).get());
    }

    /** Makes all that an assignor is handed of a group; what comes back asks it. */
    Supplier<GroupAssignment> ready(ServerGroup group, PartitionAssignor asked) {
        Spec spec = new Spec(group);
        Describer describer = new Describer(group);
        return () -> asked.assign(spec, describer);
    }

    /** Makes the JSON of what an assignor gave. */
    static Map<String, Object> written(ServerGroup group, GroupAssignment given) {
        return group.answer(given == null ? null : ServerGroup.partitions(given.members(), MemberAssignment::partitions));
    }

    @Override
    public Assignor keeping() {
        ServerAssignor keeping = new ServerAssignor(assignor, family);
        keeping.kept = fresh();
        return keeping;
    }

    PartitionAssignor fresh() {
        return (PartitionAssignor) Loading.fresh(assignor, Map.of());
    }

    private static final class Spec implements GroupSpec {
        private final ServerGroup group;
        private final SubscriptionType type;

        Spec(ServerGroup group) {
            this.group = group;
            type = group.isHomogeneous() ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        }

        @Override
        public Collection<String> memberIds() {
            return group.members.keySet();
        }

        @Override
        public SubscriptionType subscriptionType() {
            return type;
        }

        @Override
        public boolean isPartitionAssigned(Uuid topic, int partition) {
            return group.isAssigned(topic, partition);
        }

        public boolean isPartitionAssignable(Uuid topic, int partition) {
            return group.isAssignable(topic, partition);
        }

        @Override
        public MemberSubscription memberSubscription(String id) {
            return new Subscription(group, id);
        }

        @Override
        public MemberAssignment memberAssignment(String id) {
            return () -> group.owned.get(id);
        }
    }

    private static final class Subscription implements MemberSubscription {
        private final Group.Member member;
        private final Set<Uuid> topics;

        Subscription(ServerGroup group, String id) {
            member = group.members.get(id);
            topics = group.subscribed.get(id);
        }

        @Override
        public Optional<String> rackId() {
            return Optional.ofNullable(member.rack);
        }

        public Optional<String> instanceId() {
            return Optional.ofNullable(member.instance);
        }

        @Override
        public Set<Uuid> subscribedTopicIds() {
            return topics;
        }
    }

    private static final class Describer implements SubscribedTopicDescriber {
        private final ServerGroup group;

        Describer(ServerGroup group) {
            this.group = group;
        }

        @Override
        public int numPartitions(Uuid topic) {
            return group.partitions(topic);
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return group.racks(topic, partition);
        }
    }
}
