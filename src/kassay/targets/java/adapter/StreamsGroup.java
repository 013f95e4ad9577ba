package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** A streams group as the adapter protocol writes it, in the terms of a group coordinator; all maps and sets keep the group's order. */
final class StreamsGroup {
    static final class Member {
        String id;
        String process;
        Optional<String> instance;
        Optional<String> rack;
        Map<String, String> tags = new LinkedHashMap<>();
        Map<String, Set<Integer>> active;
        Map<String, Set<Integer>> standby;
        Map<String, Set<Integer>> warmup;
        Map<String, Map<Integer, Long>> offsets;
        Map<String, Map<Integer, Long>> endOffsets;
    }

    final Map<String, Member> members = new LinkedHashMap<>();
    final List<String> subtopologies = new ArrayList<>();
    final Map<String, Integer> partitions = new LinkedHashMap<>();
    final Set<String> stateful = new LinkedHashSet<>();
    final int standbys;
    final List<String> tags = new ArrayList<>();

    /** Reads a group from decoded JSON. */
    StreamsGroup(Map<?, ?> json) {
        for (Object each : (List<?>) json.get("subtopologies")) {
            Map<?, ?> subtopology = (Map<?, ?>) each;
            String id = (String) subtopology.get("id");
            subtopologies.add(id);
            partitions.put(id, Group.number(subtopology.get("partitions")));
            if (Boolean.TRUE.equals(subtopology.get("stateful"))) stateful.add(id);
        }
        for (Object each : (List<?>) json.get("members")) {
            Member member = member((Map<?, ?>) each);
            members.put(member.id, member);
        }
        Map<?, ?> config = object(json.get("config"));
        standbys = config.get("num.standby.replicas") == null ? 0 : Group.number(config.get("num.standby.replicas"));
        for (Object tag : list(config.get("rack.aware.assignment.tags"))) tags.add((String) tag);
    }

    private static Member member(Map<?, ?> json) {
        Member member = new Member();
        member.id = (String) json.get("id");
        member.process = (String) json.get("process_id");
        member.instance = Optional.ofNullable((String) json.get("instance_id"));
        member.rack = Optional.ofNullable((String) json.get("rack"));
        object(json.get("tags")).forEach((tag, value) -> member.tags.put((String) tag, (String) value));
        member.active = tasks(json.get("active"));
        member.standby = tasks(json.get("standby"));
        member.warmup = tasks(json.get("warmup"));
        member.offsets = offsets(json.get("offsets"));
        member.endOffsets = offsets(json.get("end_offsets"));
        return member;
    }

    private static Map<String, Set<Integer>> tasks(Object json) {
        Map<String, Set<Integer>> found = new LinkedHashMap<>();
        for (Object task : list(json)) {
            of((String) task, (id, number) -> found.computeIfAbsent(id, unseen -> new LinkedHashSet<>()).add(number));
        }
        return found;
    }

    private static Map<String, Map<Integer, Long>> offsets(Object json) {
        Map<String, Map<Integer, Long>> found = new LinkedHashMap<>();
        object(json).forEach((task, offset) -> of(
            (String) task, (id, number) -> found.computeIfAbsent(id, unseen -> new LinkedHashMap<>()).put(number, (Long) offset)));
        return found;
    }

    /** Hands on the subtopology and the partition of a task such as 0_3. */
    private static <T> T of(String task, BiFunction<String, Integer, T> taken) {
        int between = task.lastIndexOf('_');
        return taken.apply(task.substring(0, between), Integer.valueOf(task.substring(between + 1)));
    }

    private static Map<?, ?> object(Object json) {
        return json == null ? Map.of() : (Map<?, ?>) json;
    }

    private static List<?> list(Object json) {
        return json == null ? List.of() : (List<?>) json;
    }
}
