package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;

/**
 * Times an assignor class inside its own process: {@code java -cp JARS kassay.Timing CLASS}.
 *
 * <p>One JSON object per line: {@code {"group": ...}} takes a group; {@code {"times": n}} has it assigned n times, each
 * by a fresh instance, and answers the nanoseconds that {@code assign} took; {@code {"answer": true}} answers the last
 * assignment.
 */
public final class Timing {
    private final PublicAssignor assignor;
    private Group group;
    private GroupAssignment given;

    private Timing(String name) throws ReflectiveOperationException {
        assignor = new PublicAssignor(Class.forName(name));
    }

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        Timing timing = new Timing(args[0]);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder answer = new StringBuilder();
            Json.write(timing.answer((Map<?, ?>) Json.read(line)), answer);
            out.append(answer).append('\n').flush();
        }
    }

    private Object answer(Map<?, ?> asked) {
        if (asked.containsKey("group")) {
            group = new Group((Map<?, ?>) asked.get("group"));
            return true;
        }
        if (asked.containsKey("times")) return nanoseconds((Long) asked.get("times"));
        return Given.json(Given.lists(given.groupAssignment(), Assignment::partitions));
    }

    private List<Long> nanoseconds(long times) {
        List<Long> taken = new ArrayList<>();
        for (long n = 0; n < times; n++) {
            GroupSubscription subscriptions = assignor.subscriptions(group); // they can be read only once
            ConsumerPartitionAssignor fresh = assignor.fresh(null);
            long start = System.nanoTime();
            given = fresh.assign(group.cluster, subscriptions);
            taken.add(System.nanoTime() - start);
        }
        return taken;
    }
}
