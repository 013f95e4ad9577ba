package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.streams.processor.TaskId;

/** The answer to an application: what each client is given, and whether another rebalance is to follow. */
final class TaskAnswer {
    private final Map<String, Object> clients = new LinkedHashMap<>();

    /** Notes a client's tasks, which JSON lists in ascending order; of several notes the last one counts, as it does in Kafka. */
    void give(String client, Set<TaskId> active, Set<TaskId> standby) {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("active", texts(active));
        given.put("standby", texts(standby));
        clients.put(client, given);
    }

    Map<String, Object> json(boolean probing) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("assignment", clients);
        if (probing) answer.put("probing", true);
        return answer;
    }

    private static List<String> texts(Set<TaskId> tasks) {
        List<String> texts = new ArrayList<>();
        for (TaskId task : new TreeSet<>(tasks)) texts.add(task.toString());
        return texts;
    }
}
