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
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

class @NAME@ {
    /** A topic with the ids of the brokers that have the replicas of each partition. */
    record Topic(String name, List<List<Integer>> replicas) {}

    record Member(String id, List<String> topics, List<String> owned, int generation, String instance, String rack) {}

    private final ConsumerPartitionAssignor leader = configured(new @ASSIGNOR@());

    @Test
    void @METHOD@() {
@BODY@
    }

    /** Returns what the leader gives each member: the names of partitions, such as t0-0. Brokers are in these racks. */
    private Map<String, List<String>> assign(List<String> racks, List<Topic> topics, List<Member> members) {
        List<Node> brokers = new ArrayList<>();
        for (String rack : racks) brokers.add(new Node(brokers.size(), "broker", 9092, rack));
        List<PartitionInfo> partitions = new ArrayList<>();
        for (Topic topic : topics) {
            for (int number = 0; number < topic.replicas().size(); number++) {
                Node[] replicas = topic.replicas().get(number).stream().map(brokers::get).toArray(Node[]::new);
                partitions.add(new PartitionInfo(topic.name(), number, replicas[0], replicas, replicas));
            }
        }
        Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        for (Member member : members) subscriptions.put(member.id(), subscription(member));
        Cluster cluster = new Cluster("cluster", brokers, partitions, Set.of(), Set.of());
        Map<String, List<String>> answer = new LinkedHashMap<>();
        leader.assign(cluster, new GroupSubscription(subscriptions)).groupAssignment().forEach(
            (member, given) -> answer.put(member, given.partitions().stream().map(TopicPartition::toString).toList()));
        return answer;
    }

    /** Returns what a member sends when it joins, made by an assignor of its own. */
    private static Subscription subscription(Member member) {
        ConsumerPartitionAssignor own = configured(new @ASSIGNOR@());
        List<TopicPartition> owned = member.owned().stream().distinct().map(@NAME@::partition).toList();
        if (!owned.isEmpty() || member.generation() >= 0) {
            own.onAssignment(new Assignment(owned), new ConsumerGroupMetadata(
                "group", member.generation(), member.id(), Optional.ofNullable(member.instance())));
        }
        ByteBuffer userData = own.subscriptionUserData(new LinkedHashSet<>(member.topics()));
        Subscription subscription = new Subscription(member.topics(), userData, owned@GENERATION@);
        subscription.setGroupInstanceId(Optional.ofNullable(member.instance()));
        return subscription;
    }

    private static ConsumerPartitionAssignor configured(ConsumerPartitionAssignor assignor) {
        if (assignor instanceof Configurable configurable) configurable.configure(Map.of("group.id", "group"));
        return assignor;
    }

    private static TopicPartition partition(String name) {
        int at = name.lastIndexOf('-');
        return new TopicPartition(name.substring(0, at), Integer.parseInt(name.substring(at + 1)));
    }
@HELPERS@}
