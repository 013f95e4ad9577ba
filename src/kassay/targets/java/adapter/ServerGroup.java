package kassay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * A group as the adapter protocol writes it, in the terms of a group coordinator: topics by their ids.
 *
 * <p>Members, their topics and what they own keep the group's order. A topic without an id has the UUID that Java makes of its name.
 */
final class ServerGroup {
    private static final class Topic {
        int partitions;
        List<?> racks;
        List<?> unassignable;
    }

    final Map<String, Group.Member> members = new LinkedHashMap<>();
    final Map<String, Set<Uuid>> subscribed = new LinkedHashMap<>();
    /** What each member owns, as maps that cannot be changed: assignors of Kafka demand that. */
    final Map<String, Map<Uuid, Set<Integer>>> owned = new LinkedHashMap<>();

    private final Map<Uuid, Topic> topics = new HashMap<>();
    private final Map<Uuid, Set<Integer>> assigned = new HashMap<>();
    /** Names of topics to ids, also of topics that are only subscribed to or owned. */
    private final Map<String, Uuid> ids = new LinkedHashMap<>();

    /** Reads a group from decoded JSON. */
    ServerGroup(Map<?, ?> json) {
        for (Object topic : (List<?>) json.get("topics")) add((Map<?, ?>) topic);
        for (Object member : (List<?>) json.get("members")) add(Group.member((Map<?, ?>) member));
    }

    private void add(Map<?, ?> json) {
        Topic topic = new Topic();
        topic.partitions = Group.number(json.get("partitions"));
        topic.racks = (List<?>) json.get("racks");
        topic.unassignable = (List<?>) json.get("unassignable");
        String name = (String) json.get("name"), id = (String) json.get("id");
        ids.put(name, id == null ? idOf(name) : Uuid.fromString(id));
        topics.put(ids.get(name), topic);
    }

    private void add(Group.Member member) {
        members.put(member.id, member);
        Set<Uuid> topics = new LinkedHashSet<>();
        for (String name : member.topics) topics.add(id(name));
        subscribed.put(member.id, topics);
        Map<Uuid, Set<Integer>> partitions = new LinkedHashMap<>();
        for (TopicPartition each : member.owned) {
            partitions.computeIfAbsent(id(each.topic()), unseen -> new LinkedHashSet<>()).add(each.partition());
            assigned.computeIfAbsent(id(each.topic()), unseen -> new HashSet<>()).add(each.partition());
        }
        owned.put(member.id, Collections.unmodifiableMap(partitions));
    }

    private Uuid id(String name) {
        return ids.computeIfAbsent(name, ServerGroup::idOf);
    }

    private static Uuid idOf(String name) {
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** Tells whether all members subscribe to the same topics. */
    boolean isHomogeneous() {
        return new HashSet<>(subscribed.values()).size() <= 1;
    }

    /** Counts the partitions of a topic; -1 for one that does not exist, as Kafka says it. */
    int partitions(Uuid topic) {
        return topics.containsKey(topic) ? topics.get(topic).partitions : -1;
    }

    /** Returns the racks of a partition's replicas, as far as they are known. */
    Set<String> racks(Uuid topic, int partition) {
        Set<String> racks = new LinkedHashSet<>();
        Topic found = topics.get(topic);
        if (found == null || found.racks == null || partition >= found.partitions) return racks;
        List<?> known = (List<?>) found.racks.get(partition);
        if (known != null) for (Object rack : known) if (rack != null) racks.add((String) rack);
        return racks;
    }

    boolean isAssigned(Uuid topic, int partition) {
        return assigned.getOrDefault(topic, Collections.emptySet()).contains(partition);
    }

    boolean isAssignable(Uuid topic, int partition) {
        Topic found = topics.get(topic);
        return found == null || found.unassignable == null || !found.unassignable.contains((long) partition);
    }

    /** Makes the JSON of an answer: partitions of each member by topic in the group's order, then by number, as sets have no order. */
    Map<String, Object> answer(Map<String, Map<Uuid, Set<Integer>>> given) {
        Map<Uuid, String> names = new LinkedHashMap<>();
        ids.forEach((name, id) -> names.putIfAbsent(id, name));
        List<String> order = new ArrayList<>(names.values());
        Map<String, List<TopicPartition>> lists = Given.lists(given, partitions -> {
            List<TopicPartition> list = new ArrayList<>();
            partitions.forEach((topic, numbers) -> {
                for (Integer number : numbers) {
                    String name = names.getOrDefault(topic, String.valueOf(topic));
                    list.add(number == null ? null : new TopicPartition(name, number));
                }
            });
            list.sort(Comparator.nullsFirst(
                Comparator.comparing((TopicPartition each) -> order.indexOf(each.topic())).thenComparing(TopicPartition::partition)));
            return list;
        });
        String wrong = Given.wrong(lists);
        return wrong == null ? Map.of("assignment", Given.json(lists)) : Map.of("error", Given.NO_ASSIGNMENT + wrong);
    }

    /** Takes the partitions out of an answer of Kafka's; nulls stay nulls. */
    static <A> Map<String, Map<Uuid, Set<Integer>>> partitions(
            Map<String, A> members, Function<A, Map<Uuid, Set<Integer>>> partitions) {
        if (members == null) return null;
        Map<String, Map<Uuid, Set<Integer>>> found = new LinkedHashMap<>();
        members.forEach((member, given) -> found.put(member, given == null ? null : partitions.apply(given)));
        return found;
    }
}
