import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shares each topic out to those that read it, in the order of their ids. */
final class Mine {
    private Mine() {}

    static Map<String, Map<String, List<Integer>>> assign(Map<String, List<String>> reads, Map<String, Integer> counts) {
        Map<String, Map<String, List<Integer>>> given = new HashMap<>();
        counts.forEach((topic, count) -> {
            List<String> readers = reads.keySet().stream().filter(id -> reads.get(id).contains(topic)).sorted().toList();
            for (int number = 0; !readers.isEmpty() && number < count; number++) {
                String id = readers.get(number * readers.size() / count);
                given.computeIfAbsent(id, key -> new HashMap<>()).computeIfAbsent(topic, key -> new ArrayList<>()).add(number);
            }
        });
        return given;
    }
}
