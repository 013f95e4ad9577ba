import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;

class @NAME@ {
    /** A topic with the racks of each partition; partitions is -1 if the topic does not exist. */
    record Topic(String name, Uuid id, int partitions, List<List<String>> racks, List<Integer> unassignable) {}

    record Member(String id, List<String> topics, List<String> owned, String instance, String rack) {}

    private final PartitionAssignor assignor = new @ASSIGNOR@();

    @Test
    void @METHOD@() {
@BODY@
    }

    /** Returns what the coordinator gives each member: the names of partitions, such as t0-0. */
    private Map<String, List<String>> assign(List<Topic> topics, List<Member> members) {
        Map<String, Topic> named = new LinkedHashMap<>();
        Map<Uuid, Topic> known = new LinkedHashMap<>();
        for (Topic topic : topics) {
            named.put(topic.name(), topic);
            known.put(topic.id(), topic);
        }
        Map<String, Member> ids = new LinkedHashMap<>();
        Map<String, Set<Uuid>> subscribed = new LinkedHashMap<>();
        Map<String, Map<Uuid, Set<Integer>>> owned = new LinkedHashMap<>();
        for (Member member : members) {
            ids.put(member.id(), member);
            subscribed.put(member.id(), new LinkedHashSet<>());
            for (String topic : member.topics()) subscribed.get(member.id()).add(named.get(topic).id());
            owned.put(member.id(), new LinkedHashMap<>());
            for (String partition : member.owned()) {
                int at = partition.lastIndexOf('-');
                owned.get(member.id())
                    .computeIfAbsent(named.get(partition.substring(0, at)).id(), unseen -> new LinkedHashSet<>())
                    .add(Integer.valueOf(partition.substring(at + 1)));
            }
        }
        GroupSpec group = new GroupSpec() {
            public Collection<String> memberIds() {
                return ids.keySet();
            }

            public SubscriptionType subscriptionType() {
                return new HashSet<>(subscribed.values()).size() <= 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
            }

            public boolean isPartitionAssigned(Uuid topic, int partition) {
                return owned.values().stream().anyMatch(each -> each.getOrDefault(topic, Set.of()).contains(partition));
            }

            public boolean isPartitionAssignable(Uuid topic, int partition) {
                return !known.get(topic).unassignable().contains(partition);
            }

            public MemberSubscription memberSubscription(String member) {
                return new MemberSubscription() {
                    public Optional<String> rackId() {
                        return Optional.ofNullable(ids.get(member).rack());
                    }

                    public Optional<String> instanceId() {
                        return Optional.ofNullable(ids.get(member).instance());
                    }

                    public Set<Uuid> subscribedTopicIds() {
                        return subscribed.get(member);
                    }
                };
            }

            public MemberAssignment memberAssignment(String member) {
                return () -> java.util.Collections.unmodifiableMap(owned.get(member));
            }
        };
        SubscribedTopicDescriber describer = new SubscribedTopicDescriber() {
            public int numPartitions(Uuid topic) {
                return known.containsKey(topic) ? known.get(topic).partitions() : -1;
            }

            public Set<String> racksForPartition(Uuid topic, int partition) {
                List<List<String>> racks = known.get(topic).racks();
                return partition < racks.size() ? new LinkedHashSet<>(racks.get(partition)) : Set.of();
            }
        };
        Map<String, List<String>> answer = new LinkedHashMap<>();
        assignor.assign(group, describer).members().forEach((member, given) -> {
            List<String> partitions = new ArrayList<>();
            for (Topic topic : topics) {
                for (int number : new TreeSet<>(given.partitions().getOrDefault(topic.id(), Set.of()))) {
                    partitions.add(topic.name() + "-" + number);
                }
            }
            answer.put(member, partitions);
        });
        return answer;
    }
@HELPERS@}
