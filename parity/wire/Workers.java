package kassay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.runtime.distributed.ConnectProtocol;
import org.apache.kafka.connect.runtime.distributed.ExtendedAssignment;
import org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeConnectProtocol;
import org.apache.kafka.connect.util.ConnectorTaskId;

/** What Connect's workers write and read. */
final class Workers {
    private Workers() {
    }

    static ByteBuffer write(short version, Object value, String first, String second) throws ReflectiveOperationException {
        List<?> values = (List<?>) value;
        Class<?> eager = ConnectProtocol.class;
        Class<?> incremental = IncrementalCooperativeConnectProtocol.class;
        List<ByteBuffer> parts = new ArrayList<>();
        parts.add(Structs.write(Structs.schema(eager, "CONNECT_PROTOCOL_HEADER_SCHEMA"), List.of((long) version)));
        parts.add(Structs.write(Structs.schema(first.equals("ASSIGNMENT_V1") ? incremental : eager, first), values));
        if (second != null) parts.add(Structs.write(Structs.schema(incremental, second), Collections.singletonList(values.get(2))));
        ByteBuffer all = ByteBuffer.allocate(parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(all::put);
        return all.flip();
    }

    static ByteBuffer lead(short version, List<?> value) {
        String leader = (String) value.get(0);
        if (version == 0) {
            return ConnectProtocol.serializeAssignment(
                    new ConnectProtocol.Assignment((short) 0, leader, leader, 1, Wire.names(value.get(1)), tasks(value.get(2))));
        }
        return IncrementalCooperativeConnectProtocol.serializeAssignment(new ExtendedAssignment(version, (short) 0, leader, leader, 1,
                Wire.names(value.get(1)), tasks(value.get(2)), Wire.names(value.get(3)), tasks(value.get(4)), 7), version == 2);
    }

    private static List<ConnectorTaskId> tasks(Object listed) {
        List<ConnectorTaskId> tasks = new ArrayList<>();
        for (TopicPartition each : Wire.partitions(listed)) tasks.add(new ConnectorTaskId(each.topic(), each.partition()));
        return tasks;
    }

    static Object read(String method, short version, ByteBuffer data) throws ReflectiveOperationException {
        Class<?> of = version > 0 ? IncrementalCooperativeConnectProtocol.class : ConnectProtocol.class;
        return connected(of.getMethod(method, ByteBuffer.class).invoke(null, data));
    }

    private static Object connected(Object value) throws ReflectiveOperationException {
        if (value == null) return null;
        Map<String, Object> tree = new LinkedHashMap<>();
        for (String name : List.of("version", "url", "error", "leader", "leaderUrl", "offset", "connectors", "tasks",
                "revokedConnectors", "revokedTasks", "delay")) {
            try {
                Object held = value.getClass().getMethod(name).invoke(value);
                tree.put(name, held instanceof Collection ? texts((Collection<?>) held) : held);
            } catch (NoSuchMethodException without) {
                continue; // the eager protocol has fewer
            }
        }
        try {
            tree.put("assignment", connected(value.getClass().getMethod("assignment").invoke(value)));
        } catch (NoSuchMethodException without) {
            return tree;
        }
        return tree;
    }

    private static List<String> texts(Collection<?> values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) texts.add(value.toString());
        return texts;
    }
}
