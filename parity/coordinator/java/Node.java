package kassay;

import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;

/** A coordinator of one group on a log: it does what CoordinatorRuntime does, one operation after another and on a clock that is told. */
final class Node {
    /** What waits for a batch: told whether it was written (null) or why not. */
    private static final class Batch {
        final List<?> records;
        final Consumer<Throwable> done;
        boolean late;

        Batch(List<?> records, Consumer<Throwable> done) {
            this.records = records;
            this.done = done;
        }

        void end(Throwable wrong) {
            if (!late) done.accept(wrong);
            late = true;
        }
    }

    /** A timer, with the step in which it was set and its rank there: timers of members' sessions that are set one after another share one. */
    private static final class Timer {
        final long due;
        final int step;
        final int rank;
        final Object operation;

        Timer(long due, int step, int rank, Object operation) {
            this.due = due;
            this.step = step;
            this.rank = rank;
            this.operation = operation;
        }
    }

    private static final String SESSION = "heartbeat-";
    /** A timer that only serves the metrics. */
    private static final String UNSEEN = "group-size-counter";

    private final Map<?, ?> settings;
    private final List<List<?>> log = new ArrayList<>();
    private final Deque<Batch> waiting = new ArrayDeque<>();
    private final Map<String, Timer> timers = new TreeMap<>();
    final List<Object> replies = new ArrayList<>();
    final List<Object> written = new ArrayList<>();
    private Object snapshots;
    Object shard;
    private long offset;
    private long now;
    private int step;
    private int rank;
    private String last;

    Node(Map<?, ?> settings) {
        this.settings = settings;
        load();
    }

    private void load() {
        timers.clear();
        rank = 0;
        last = null;
        waiting.clear();
        offset = 0;
        snapshots = Shards.snapshots();
        shard = Shards.build(snapshots, this::time, this::timer, settings);
        Shards.snapshot(snapshots, 0);
        try {
            for (List<?> batch : log) replay(batch);
        } catch (RuntimeException unreadable) { // then the partition has no coordinator
            shard = null;
            return;
        }
        Shards.snapshot(snapshots, offset);
        Shards.loaded(shard);
    }

    private void replay(List<?> records) {
        for (Object record : records) Reflected.call(shard, "replay", offset++, -1L, (short) -1, record);
    }

    void at(long time) {
        now = time;
        step++;
        rank = 0;
        last = null;
        replies.clear();
        written.clear();
    }

    /** Runs an operation; its batch is written now or later, or refused. */
    void run(Supplier<Object> operation, String outcome, Consumer<Object> answer, Consumer<Throwable> fail) {
        if (shard == null) {
            fail.accept(Errors.NOT_COORDINATOR.exception());
            return;
        }
        long before = offset;
        Object result;
        try {
            result = operation.get();
        } catch (RuntimeException thrown) {
            Reflected.call(snapshots, "revertToSnapshot", before);
            fail.accept(thrown);
            return;
        }
        List<?> records = (List<?>) Reflected.call(result, "records");
        Object response = Reflected.call(result, "response");
        CompletableFuture<?> appended = (CompletableFuture<?>) Reflected.call(result, "appendFuture");
        Consumer<Throwable> done = wrong -> {
            if (appended != null && wrong == null) appended.complete(null);
            if (appended != null && wrong != null) appended.completeExceptionally(wrong);
            if (wrong == null) answer.accept(response);
            else fail.accept(wrong);
        };
        if (records.isEmpty()) {
            done.accept(null);
            return;
        }
        for (Object record : records) written.add(Seen.record(record));
        if (!outcome.equals("now") && !outcome.equals("later")) {
            if ((Boolean) Reflected.call(result, "replayRecords")) replay(records);
            Reflected.call(snapshots, "revertToSnapshot", before);
            offset = before;
            done.accept(Errors.valueOf(outcome).exception());
            return;
        }
        if ((Boolean) Reflected.call(result, "replayRecords")) replay(records);
        else offset += records.size();
        Shards.snapshot(snapshots, offset);
        waiting.add(new Batch(records, done));
        if (outcome.equals("now")) while (!waiting.isEmpty()) written();
    }

    /** The log has committed the oldest batch. */
    void written() {
        Batch batch = waiting.remove();
        log.add(batch.records);
        batch.end(null);
    }

    /** The oldest batch that is still waited for has taken too long: it stays in the log, and the operation is answered. */
    void timedOut() {
        for (Batch batch : waiting) {
            if (batch.late) continue;
            batch.end(Errors.REQUEST_TIMED_OUT.exception());
            return;
        }
    }

    /** Another node takes over; of the batches not yet committed the first few are in its log. */
    void failOver(boolean crashes, int kept) {
        List<Batch> uncommitted = new ArrayList<>(waiting);
        if (!crashes) {
            for (Batch batch : uncommitted) batch.end(Errors.NOT_COORDINATOR.exception());
            if (shard != null) Reflected.call(shard, "onUnloaded");
        }
        for (Batch batch : uncommitted.subList(0, kept)) log.add(batch.records);
        load();
    }

    void alarm(String key, String outcome) {
        Timer timer = timers.remove(key);
        run(() -> Reflected.call(timer.operation, "generateRecords"), outcome, response -> {}, wrong -> {
            if (key.equals("expire-group-metadata")) set(key, 600_000, timer.operation);
        });
    }

    /** Returns when each timer runs out, the step in which it was set, and its rank among those of that step. */
    Map<String, Object> due() {
        Map<String, Object> due = new LinkedHashMap<>();
        timers.forEach((key, timer) -> {
            if (!key.equals(UNSEEN)) due.put(key, List.of(timer.due, timer.step, timer.rank));
        });
        return due;
    }

    private Object time(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "milliseconds":
            case "hiResClockMs":
                return now;
            case "nanoseconds":
                return now * 1_000_000;
            default:
                throw new UnsupportedOperationException(method.getName());
        }
    }

    private Object timer(Object proxy, Method method, Object[] arguments) {
        String key = (String) arguments[0];
        switch (method.getName()) {
            case "cancel":
                timers.remove(key);
                return null;
            case "isScheduled":
                return timers.containsKey(key);
            case "scheduleIfAbsent":
                if (timers.containsKey(key)) return null;
                break;
            default:
                break;
        }
        set(key, (Long) arguments[1], arguments[arguments.length - 1]);
        return null;
    }

    private void set(String key, long delay, Object operation) {
        String kind = key.startsWith(SESSION) ? SESSION : key;
        if (!key.equals(UNSEEN) && !kind.equals(last)) {
            if (last != null) rank++;
            last = kind;
        }
        timers.put(key, new Timer(now + delay, step, rank, operation));
    }
}
