package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/** What an assignor gave, in the order it gave it, however wrong. */
final class Given {
    /** What an error begins with where a class returned something, but no assignment. */
    static final String NO_ASSIGNMENT = "it answered what is no assignment: ";

    private Given() {}

    /** Takes the partitions out of assignments; nulls stay nulls. */
    static <A> Map<String, List<TopicPartition>> lists(Map<String, A> given, Function<A, List<TopicPartition>> partitions) {
        if (given == null) return null;
        Map<String, List<TopicPartition>> lists = new LinkedHashMap<>();
        given.forEach((member, assignment) ->
            lists.put(member, assignment == null ? null : partitions.apply(assignment)));
        return lists;
    }

    /** Says where there is a null that JSON has no place for; null where there is none. */
    static String wrong(Map<String, List<TopicPartition>> given) {
        if (given == null) return "null";
        for (Map.Entry<String, List<TopicPartition>> entry : given.entrySet()) {
            if (entry.getKey() == null) return "null for a member";
            if (entry.getValue() == null) return "null for the partitions of member " + entry.getKey();
            for (TopicPartition partition : entry.getValue()) {
                if (partition == null || partition.topic() == null) {
                    return "null for a partition of member " + entry.getKey();
                }
            }
        }
        return null;
    }

    /** Makes the JSON of an assignment. */
    static Map<String, Object> json(Map<String, List<TopicPartition>> given) {
        Map<String, Object> assignment = new LinkedHashMap<>();
        given.forEach((member, partitions) -> {
            List<Object> pairs = new ArrayList<>();
            for (TopicPartition partition : partitions) pairs.add(List.of(partition.topic(), partition.partition()));
            assignment.put(member, pairs);
        });
        return assignment;
    }
}
