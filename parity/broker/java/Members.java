package kassay;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Real consumers in one process: {@code java -cp JARS kassay.Members BROKERS}. Ends when standard input does.
 *
 * <p>Of the JSON lines there, {@code {"start": NAME, "topics": [...], "config": {...}}} starts a consumer, one of a share group where
 * there is a key {@code "share"}; {@code {"stop": NAME}} has it leave its group; {@code {"describe": GROUP}} and
 * {@code {"describe-share": GROUP}} print what the coordinator says of a group. A line is also printed whenever a consumer's member id, generation or partitions have changed, and when it has
 * left or failed.
 */
public final class Members implements Runnable {
    private static final PrintStream OUT =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    private final String name;
    private final Runnable poll, wakeup, close;
    private final Supplier<Map<String, Object>> state;
    private final Thread thread = new Thread(this);

    private Members(String name, KafkaConsumer<byte[], byte[]> consumer) {
        this.name = name;
        poll = () -> consumer.poll(Duration.ofMillis(50));
        wakeup = consumer::wakeup;
        close = consumer::close;
        state = () -> state(name, consumer);
    }

    /** Members of share groups are not told what they hold. */
    private Members(String name, KafkaShareConsumer<byte[], byte[]> consumer) {
        this.name = name;
        poll = () -> consumer.poll(Duration.ofMillis(50));
        wakeup = consumer::wakeup;
        close = consumer::close;
        state = () -> Map.of("shares", name);
    }

    private static Members started(String name, Map<String, Object> config, List<String> topics, boolean share) {
        if (share) {
            KafkaShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumer.subscribe(topics);
            return new Members(name, consumer);
        }
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(topics);
        return new Members(name, consumer);
    }

    public static void main(String[] args) throws IOException {
        Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<String, Members> running = new HashMap<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<?, ?> asked = (Map<?, ?>) Json.read(line);
            if (asked.containsKey("describe")) {
                String group = (String) asked.get("describe");
                admin.describeConsumerGroups(List.of(group)).describedGroups().get(group)
                    .whenComplete((told, failed) -> print(described(group, told, failed)));
                continue;
            }
            if (asked.containsKey("describe-share")) {
                String group = (String) asked.get("describe-share");
                admin.describeShareGroups(List.of(group)).describedGroups().get(group)
                    .whenComplete((told, failed) -> print(described(group, told, failed)));
                continue;
            }
            if (asked.containsKey("stop")) {
                running.remove(asked.get("stop")).wakeup.run();
                continue;
            }
            String name = (String) asked.get("start");
            Map<String, Object> config = new HashMap<>();
            ((Map<?, ?>) asked.get("config")).forEach((key, value) -> config.put((String) key, value));
            List<String> topics = new ArrayList<>();
            for (Object topic : (List<?>) asked.get("topics")) topics.add((String) topic);
            Members member = started(name, config, topics, asked.containsKey("share"));
            running.put(name, member);
            member.thread.start();
        }
        Runtime.getRuntime().halt(0);
    }

    /** Prints a value as one line. */
    static synchronized void print(Object value) {
        StringBuilder line = new StringBuilder();
        Json.write(value, line);
        OUT.append(line).append('\n').flush();
    }

    private static Map<String, Object> described(String group, ConsumerGroupDescription told, Throwable failed) {
        List<Object> members = new ArrayList<>();
        if (failed == null) {
            for (MemberDescription member : told.members()) {
                members.add(Map.of(
                    "id", member.consumerId(),
                    "client", member.clientId(),
                    "held", pairs(member.assignment().topicPartitions())));
            }
        }
        String state = failed == null ? told.groupState().toString() : failed.toString();
        return Map.of("described", group, "state", state, "members", members);
    }

    /** Members of a share group hold what the coordinator says; it is Stable once all are at the epoch of its target. */
    private static Map<String, Object> described(String group, ShareGroupDescription told, Throwable failed) {
        List<Object> members = new ArrayList<>();
        boolean settled = failed == null && told.groupEpoch() == told.targetAssignmentEpoch();
        if (failed == null) {
            for (ShareMemberDescription member : told.members()) {
                settled &= member.memberEpoch() == told.groupEpoch();
                members.add(Map.of(
                    "id", member.consumerId(),
                    "client", member.clientId(),
                    "held", pairs(member.assignment().topicPartitions())));
            }
        }
        String state = failed != null ? failed.toString() : settled ? told.groupState().toString() : "Settling";
        return Map.of("described", group, "state", state, "members", members);
    }

    private static List<Object> pairs(Iterable<TopicPartition> partitions) {
        List<Object> pairs = new ArrayList<>();
        for (TopicPartition partition : partitions) pairs.add(List.of(partition.topic(), partition.partition()));
        return pairs;
    }

    @Override
    public void run() {
        Map<String, Object> before = null;
        try {
            while (true) {
                poll.run();
                Map<String, Object> now = state.get();
                if (!now.equals(before)) print(now);
                before = now;
            }
        } catch (WakeupException stopped) {
            close.run();
            print(Map.of("left", name));
        } catch (RuntimeException failed) {
            print(Map.of("failed", name, "error", Thrown.text(failed)));
        }
    }

    private static Map<String, Object> state(String name, KafkaConsumer<byte[], byte[]> consumer) {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("client", name);
        state.put("member", consumer.groupMetadata().memberId());
        state.put("generation", consumer.groupMetadata().generationId());
        state.put("held", pairs(consumer.assignment()));
        return state;
    }
}
