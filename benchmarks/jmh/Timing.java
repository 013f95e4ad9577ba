package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;

/**
 * Times an assignor class inside its own process: {@code java -cp JARS kassay.Timing CLASS SECONDS}.
 *
 * <p>One JSON object per line: {@code {"group": ...}} takes a group; {@code {"times": n}} has it assigned n times, each
 * by a fresh instance, and answers what {@code assign} took of the thread's processor time, in nanoseconds;
 * {@code {"answer": true}} answers the last assignment with what belongs beside it. Where one run takes longer than SECONDS,
 * ends with status 9; ends with the process that started it, too.
 */
public final class Timing {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long PAUSE_MS = 50;
    private static final int TOO_LONG = 9;

    private final Timed timed;
    private volatile long started = Long.MAX_VALUE;
    private Object given;

    /** An assignor: takes a group, makes ready to assign it once, and writes what that gave. */
    interface Timed {
        void take(Map<?, ?> group);

        Supplier<Object> ready();

        Object written(Object given);
    }

    private Timing(String name) throws ReflectiveOperationException {
        Class<?> found = Class.forName(name);
        if (ConsumerPartitionAssignor.class.isAssignableFrom(found)) timed = new OfClients(found);
        else if (name.endsWith(".StickyTaskAssignor")) timed = new TimedStreamsGroup(found);
        else if (name.endsWith(".EagerAssignor")) timed = new TimedConnect.Eager(found);
        else if (name.endsWith(".IncrementalCooperativeAssignor")) timed = new TimedConnect.Incremental(found);
        else timed = new OfServers(found);
    }

    private static final class OfClients implements Timed {
        private final PublicAssignor assignor;
        private Group group;

        OfClients(Class<?> found) throws ReflectiveOperationException {
            assignor = new PublicAssignor(found);
        }

        @Override
        public void take(Map<?, ?> json) {
            group = new Group(json);
        }

        @Override
        public Supplier<Object> ready() {
            GroupSubscription subscriptions = assignor.subscriptions(group); // they can be read only once
            ConsumerPartitionAssignor fresh = assignor.fresh(null);
            return () -> fresh.assign(group.cluster, subscriptions);
        }

        @Override
        public Object written(Object given) {
            Map<String, Assignment> members = ((GroupAssignment) given).groupAssignment();
            return Map.of("assignment", Given.json(Given.lists(members, Assignment::partitions)));
        }
    }

    private static final class OfServers implements Timed {
        private final ServerAssignor assignor;
        private ServerGroup group;

        OfServers(Class<?> found) {
            assignor = new ServerAssignor(found, "");
        }

        @Override
        public void take(Map<?, ?> json) {
            group = new ServerGroup(json);
        }

        @Override
        public Supplier<Object> ready() {
            PartitionAssignor fresh = assignor.fresh();
            return assignor.ready(group, fresh)::get;
        }

        @Override
        public Object written(Object given) {
            return ServerAssignor.written(
                group, (org.apache.kafka.coordinator.group.api.assignor.GroupAssignment) given);
        }
    }

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        Timing timing = new Timing(args[0]);
        timing.watch(Thread.currentThread().getId(), (long) (Double.parseDouble(args[1]) * 1e9));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder answer = new StringBuilder();
            Json.write(timing.answer((Map<?, ?>) Json.read(line)), answer);
            out.append(answer).append('\n').flush();
        }
    }

    private void watch(long thread, long limit) {
        Thread watching = new Thread(() -> {
            Optional<ProcessHandle> parent = ProcessHandle.current().parent();
            while (THREADS.getThreadCpuTime(thread) - started <= limit
                    && parent.equals(ProcessHandle.current().parent())) {
                try {
                    Thread.sleep(PAUSE_MS);
                } catch (InterruptedException stopped) {
                    return;
                }
            }
            Runtime.getRuntime().halt(TOO_LONG);
        });
        watching.setDaemon(true);
        watching.start();
    }

    private Object answer(Map<?, ?> asked) {
        if (asked.containsKey("group")) {
            timed.take((Map<?, ?>) asked.get("group"));
            return true;
        }
        if (asked.containsKey("times")) return nanoseconds((Long) asked.get("times"));
        return timed.written(given);
    }

    private List<Long> nanoseconds(long times) {
        List<Long> taken = new ArrayList<>();
        for (long n = 0; n < times; n++) {
            Supplier<Object> ready = timed.ready();
            started = THREADS.getCurrentThreadCpuTime();
            given = ready.get();
            taken.add(THREADS.getCurrentThreadCpuTime() - started);
            started = Long.MAX_VALUE;
        }
        return taken;
    }
}
