package kassay;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;

/** Bytes of values in lists, by Kafka's schemas. */
final class Structs {
    private Structs() {
    }

    static Schema schema(Class<?> of, String name) throws ReflectiveOperationException {
        return (Schema) Generated.field(of, name).get(null);
    }

    static ByteBuffer write(Type type, Object value) {
        Object held = held(type, value);
        ByteBuffer out = ByteBuffer.allocate(type.sizeOf(held));
        type.write(out, held);
        return out.flip();
    }

    /** Returns what a schema's type holds: a Struct of a list's values, an array, a number of the right size. */
    private static Object held(Type type, Object value) {
        if (type instanceof Schema) {
            Struct struct = new Struct((Schema) type);
            for (int n = 0; n < struct.schema().fields().length; n++) {
                Type of = struct.schema().get(n).def.type;
                struct.set(struct.schema().get(n), held(of, ((List<?>) value).get(n)));
            }
            return struct;
        }
        if (value == null) return null;
        if (type.isArray()) {
            return ((List<?>) value).stream().map(each -> held(type.arrayElementType().get(), each)).toArray();
        }
        if (type == Type.INT16) return ((Long) value).shortValue();
        if (type == Type.INT32) return ((Long) value).intValue();
        if (type == Type.NULLABLE_BYTES) return ByteBuffer.wrap(Generated.bytes((String) value));
        return value;
    }
}
