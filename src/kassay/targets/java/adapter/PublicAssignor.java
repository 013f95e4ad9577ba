package kassay;

import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.TopicPartition;

/** An assignor of the public interface, ConsumerPartitionAssignor (2.4 and later). */
final class PublicAssignor implements ConsumerAssignor {
    private final Class<?> assignor;
    private ConsumerPartitionAssignor leader;
    /** Who the kept instance belongs to: the first member of the group as long as it is there. */
    private String leaderId;
    private final boolean sendsUserData;
    private final Constructor<Subscription> withRack;

    PublicAssignor(Class<?> assignor) throws ReflectiveOperationException {
        this.assignor = assignor;
        Class<?> speaker = assignor.getMethod("subscriptionUserData", Set.class).getDeclaringClass();
        sendsUserData = speaker != ConsumerPartitionAssignor.class;
        withRack = constructorWithRack();
    }

    /** Finds the constructor that takes a generation and a rack (3.4 and later); null in a release without it. */
    private static Constructor<Subscription> constructorWithRack() {
        try {
            return Subscription.class.getConstructor(
                List.class, ByteBuffer.class, List.class, int.class, Optional.class);
        } catch (NoSuchMethodException olderRelease) {
            return null;
        }
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Group group) {
        if (leader != null && !group.members.isEmpty() && group.members.stream().noneMatch(one -> one.id.equals(leaderId))) {
            leaderId = group.members.get(0).id;
        }
        GroupSubscription subscriptions = subscriptions(group);
        GroupAssignment given = (leader == null ? fresh(null) : leader).assign(group.cluster, subscriptions);
        return given == null ? null : Given.lists(given.groupAssignment(), Assignment::partitions);
    }

    @Override
    public Assignor keeping() {
        try {
            PublicAssignor keeping = new PublicAssignor(assignor);
            keeping.leader = fresh(null);
            return keeping;
        } catch (ReflectiveOperationException seenBefore) {
            throw new IllegalStateException(seenBefore);
        }
    }

    /** Makes an instance, as Loading does. */
    ConsumerPartitionAssignor fresh(Group.Member of) {
        return (ConsumerPartitionAssignor) Loading.fresh(assignor, Group.configs(of));
    }

    /** Makes what the members of a group send; the class may use it up. */
    GroupSubscription subscriptions(Group group) {
        Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        for (Group.Member member : group.members) subscriptions.put(member.id, subscription(member));
        return new GroupSubscription(subscriptions);
    }

    private Subscription subscription(Group.Member member) {
        ByteBuffer userData = userData(member);
        Subscription subscription = withRack == null
            ? new Subscription(member.topics, userData, member.owned)
            : Loading.make(
                withRack, member.topics, userData, member.owned, member.generation, Optional.ofNullable(member.rack));
        if (member.instance != null) subscription.setGroupInstanceId(Optional.of(member.instance));
        return subscription;
    }

    /**
     * Has an instance of the member's own say what it sends, after telling it what it was last given; what the group says wins.
     *
     * <p>A kept leader is told and asked in any case, as by its consumer before each rebalance.
     */
    private ByteBuffer userData(Group.Member member) {
        boolean leads = leader != null && member.id.equals(leaderId);
        ByteBuffer own = leads ? ask(leader, member) : null;
        if (member.userData != null) return ByteBuffer.wrap(member.userData);
        if (!sendsUserData) return null;
        if (StickyAssignor.class.isAssignableFrom(assignor)) return PreviousAssignment.of(member);
        return leads ? own : ask(fresh(member), member);
    }

    private static ByteBuffer ask(ConsumerPartitionAssignor own, Group.Member member) {
        if (member.hasHistory()) {
            own.onAssignment(
                new Assignment(new ArrayList<>(member.owned)),
                new ConsumerGroupMetadata(
                    Loading.GROUP, member.generation, member.id, Optional.ofNullable(member.instance)));
        }
        return own.subscriptionUserData(new LinkedHashSet<>(member.topics));
    }
}
