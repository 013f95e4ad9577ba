package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractStickyAssignor.MemberData;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.assignment.AssignmentInfo;
import org.apache.kafka.streams.processor.internals.assignment.SubscriptionInfo;
import org.apache.kafka.streams.state.HostInfo;

/**
 * What Kafka's own classes write and read: {@code java -cp JARS kassay.Wire}.
 *
 * <p>One JSON list per line: {@code ["write", MESSAGE, VERSION, VALUE]} answers bytes in hex, {@code ["read", MESSAGE, VERSION, HEX]} a
 * value; {@code {"refused": EXCEPTION}} where the class throws. Fields of schemas stand in lists, those of generated classes by name.
 */
public final class Wire {
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder answer = new StringBuilder();
            Json.write(answer((List<?>) Json.read(line)), answer);
            out.append(answer).append('\n').flush();
        }
    }

    private static Object answer(List<?> asked) {
        String message = (String) asked.get(1);
        short version = ((Long) asked.get(2)).shortValue();
        Object value = asked.get(3);
        try {
            if (asked.get(0).equals("write")) return Generated.hex(write(message, version, value));
            return read(message, version, ByteBuffer.wrap(Generated.bytes((String) value)));
        } catch (InvocationTargetException thrown) {
            return Map.of("refused", thrown.getCause().getClass().getSimpleName());
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException(broken);
        } catch (RuntimeException thrown) {
            return Map.of("refused", thrown.getClass().getSimpleName());
        }
    }

    private static ByteBuffer write(String message, short version, Object value) throws ReflectiveOperationException {
        switch (message) {
            case "consumer": return ConsumerProtocol.serializeSubscription(subscription((List<?>) value), version);
            case "leader": return ConsumerProtocol.serializeAssignment(new Assignment(partitions(value)), version);
            case "sticky assignor": return sticky((List<?>) value);
            case "sticky": return Structs.write(Structs.schema(StickyAssignor.class, "STICKY_ASSIGNOR_USER_DATA_V" + version), value);
            case "cooperative":
                return Structs.write(Structs.schema(CooperativeStickyAssignor.class, "COOPERATIVE_STICKY_ASSIGNOR_USER_DATA_V0"), value);
            case "connect leader": return Workers.lead(version, (List<?>) value);
            case "streams assignment": return info((List<?>) value).encode();
            case "connect metadata": return Workers.write(version, value, "CONFIG_STATE_V0", version > 0 ? "ALLOCATION_V1" : null);
            case "connect assignment": return Workers.write(version, value, version > 0 ? "ASSIGNMENT_V1" : "ASSIGNMENT_V0", null);
            default: return Generated.write(message, version, (Map<?, ?>) value);
        }
    }

    private static Object read(String message, short version, ByteBuffer data) throws ReflectiveOperationException {
        switch (message) {
            case "ConsumerProtocolSubscription":
                return Generated.tree(ConsumerProtocol.deserializeConsumerProtocolSubscription(data));
            case "ConsumerProtocolAssignment":
                return Generated.tree(ConsumerProtocol.deserializeConsumerProtocolAssignment(data));
            case "sticky": return claims(new StickyAssignor(), data);
            case "cooperative": return claims(new CooperativeStickyAssignor(), data);
            case "SubscriptionInfoData":
                return Generated.tree(Generated.field(SubscriptionInfo.class, "data").get(SubscriptionInfo.decode(data)));
            case "streams assignment": return tree(AssignmentInfo.decode(data));
            case "connect metadata": return Workers.read("deserializeMetadata", version, data);
            case "connect assignment": return Workers.read("deserializeAssignment", version, data);
            default: return Generated.tree(Generated.read(message, version, data));
        }
    }

    private static Subscription subscription(List<?> member) {
        return new Subscription(names(member.get(0)), null, partitions(member.get(1)), ((Long) member.get(2)).intValue(),
                Optional.ofNullable((String) member.get(3)));
    }

    static List<TopicPartition> partitions(Object listed) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (Object each : (List<?>) listed) {
            partitions.add(new TopicPartition((String) ((List<?>) each).get(0), number(((List<?>) each).get(1))));
        }
        return partitions;
    }

    private static int number(Object value) {
        return ((Long) value).intValue();
    }

    private static ByteBuffer sticky(List<?> value) throws ReflectiveOperationException {
        MemberData data = new MemberData(partitions(value.get(0)), Optional.of(number(value.get(1))));
        Method write = StickyAssignor.class.getDeclaredMethod("serializeTopicPartitionAssignment", MemberData.class);
        write.setAccessible(true);
        return (ByteBuffer) write.invoke(null, data);
    }

    private static Object claims(Object assignor, ByteBuffer data) throws ReflectiveOperationException {
        Method read = assignor.getClass().getDeclaredMethod("memberData", Subscription.class);
        read.setAccessible(true);
        MemberData claims = (MemberData) read.invoke(assignor, new Subscription(List.of(), data));
        List<Object> owned = new ArrayList<>();
        for (TopicPartition each : claims.partitions) owned.add(List.of(each.topic(), each.partition()));
        List<Object> row = new ArrayList<>(List.of(owned));
        row.add(claims.generation.orElse(null));
        return row;
    }

    static List<String> names(Object listed) {
        List<String> names = new ArrayList<>();
        for (Object each : (List<?>) listed) names.add((String) each);
        return names;
    }

    private static AssignmentInfo info(List<?> value) {
        List<TaskId> active = new ArrayList<>();
        for (Object each : (List<?>) value.get(2)) active.add(task((List<?>) each));
        Map<TaskId, Set<TopicPartition>> standby = new LinkedHashMap<>();
        for (Object each : (List<?>) value.get(3)) {
            List<?> entry = (List<?>) each;
            standby.put(task((List<?>) entry.get(0)), new LinkedHashSet<>(partitions(entry.get(1))));
        }
        AssignmentInfo info = new AssignmentInfo(number(value.get(0)), number(value.get(1)), active, standby,
                hosts(value.get(4)), hosts(value.get(5)), number(value.get(6)));
        info.setNextRebalanceTime((Long) value.get(7));
        return info;
    }

    private static TaskId task(List<?> value) {
        return new TaskId(number(value.get(0)), number(value.get(1)), (String) value.get(2));
    }

    private static Map<HostInfo, Set<TopicPartition>> hosts(Object listed) {
        Map<HostInfo, Set<TopicPartition>> hosts = new LinkedHashMap<>();
        for (Object each : (List<?>) listed) {
            List<?> entry = (List<?>) each;
            HostInfo host = new HostInfo((String) entry.get(0), number(entry.get(1)));
            hosts.put(host, new LinkedHashSet<>(partitions(entry.get(2))));
        }
        return hosts;
    }

    private static Object tree(AssignmentInfo info) throws ReflectiveOperationException {
        Map<Object, Object> standby = new LinkedHashMap<>();
        info.standbyTasks().forEach((task, partitions) -> standby.put(name(task), places(partitions)));
        List<Object> active = new ArrayList<>();
        for (TaskId task : info.activeTasks()) active.add(name(task));
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("version", info.version());
        tree.put("commonlySupportedVersion", info.commonlySupportedVersion());
        tree.put("activeTasks", active);
        tree.put("standbyTasks", standby);
        tree.put("partitionsByHost", places(info.partitionsByHost()));
        tree.put("standbyPartitionsByHost", places(info.standbyPartitionByHost()));
        tree.put("errorCode", info.errCode());
        tree.put("nextRebalanceMs", info.nextRebalanceMs());
        return tree;
    }

    private static String name(TaskId task) {
        return plain(task.subtopology() + " " + task.partition() + " " + task.topologyName());
    }

    private static Object places(Map<HostInfo, Set<TopicPartition>> hosts) {
        Map<Object, Object> places = new LinkedHashMap<>();
        if (hosts == null) return places;
        hosts.forEach((host, partitions) -> places.put(plain(host.host() + " " + host.port()), places(partitions)));
        return places;
    }

    private static List<String> places(Set<TopicPartition> partitions) {
        List<String> places = new ArrayList<>();
        for (TopicPartition each : partitions) places.add(each.topic() == null ? null : plain(each.topic() + " " + each.partition()));
        places.sort(java.util.Comparator.nullsFirst(java.util.Comparator.naturalOrder()));
        return places;
    }

    /** Returns text without half surrogate pairs, which JSON cannot say. */
    private static String plain(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
