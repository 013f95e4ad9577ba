package kassay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.PartitionAssignor;
import org.apache.kafka.clients.consumer.internals.PartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.internals.PartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

/**
 * An assignor of the internal interface that came before the public one (2.2 and 2.3; gone in 3.0).
 *
 * <p>It is told neither what members own nor their instance ids and racks, but for the user data.
 */
@SuppressWarnings("deprecation")
final class InternalAssignor implements ConsumerAssignor {
    private final Class<?> assignor;
    private PartitionAssignor leader;

    InternalAssignor(Class<?> assignor) {
        this.assignor = assignor;
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Group group) {
        Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        for (Group.Member member : group.members) {
            subscriptions.put(member.id, new Subscription(member.topics, userData(member)));
        }
        PartitionAssignor asked = leader == null ? fresh(null) : leader;
        return Given.lists(asked.assign(group.cluster, subscriptions), Assignment::partitions);
    }

    @Override
    public Assignor keeping() {
        InternalAssignor keeping = new InternalAssignor(assignor);
        keeping.leader = fresh(null);
        return keeping;
    }

    private PartitionAssignor fresh(Group.Member of) {
        return (PartitionAssignor) Loading.fresh(assignor, Group.configs(of));
    }

    private ByteBuffer userData(Group.Member member) {
        if (member.userData != null) return ByteBuffer.wrap(member.userData);
        if (StickyAssignor.class.isAssignableFrom(assignor)) return PreviousAssignment.of(member);
        PartitionAssignor own = fresh(member);
        if (member.hasHistory()) own.onAssignment(new Assignment(new ArrayList<>(member.owned)));
        return own.subscription(new LinkedHashSet<>(member.topics)).userData();
    }
}
