package kassay;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.Readable;

/** Messages whose classes Kafka generates from schemas, from and to JSON by the names of their fields; bytes are in hex. */
final class Generated {
    private static final Map<String, Class<?>> CLASSES = new LinkedHashMap<>();

    private Generated() {
    }

    static ByteBuffer write(String name, short version, Map<?, ?> value) throws ReflectiveOperationException {
        Message message = (Message) filled(of(name), value);
        if (name.startsWith("ConsumerProtocol")) return MessageUtil.toVersionPrefixedByteBuffer(version, message);
        return MessageUtil.toByteBufferAccessor(message, version).buffer();
    }

    static Object read(String name, short version, ByteBuffer data) throws ReflectiveOperationException {
        return of(name).getConstructor(Readable.class, short.class).newInstance(new ByteBufferAccessor(data), version);
    }

    private static Class<?> of(String name) throws ClassNotFoundException {
        if (!CLASSES.containsKey(name)) {
            String place = name.equals("SubscriptionInfoData") ? "org.apache.kafka.streams.internals.generated." : "org.apache.kafka.common.message.";
            CLASSES.put(name, Class.forName(place + name));
        }
        return CLASSES.get(name);
    }

    private static Object filled(Class<?> of, Map<?, ?> values) throws ReflectiveOperationException {
        Object message = of.getConstructor().newInstance();
        for (Map.Entry<?, ?> each : values.entrySet()) {
            String name = (String) each.getKey();
            String setter = "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
            for (Method method : of.getMethods()) {
                if (method.getName().equals(setter)) method.invoke(message, held(method.getGenericParameterTypes()[0], each.getValue()));
            }
        }
        return message;
    }

    private static Object held(Type type, Object value) throws ReflectiveOperationException {
        if (value == null || type == String.class || type == boolean.class) return value;
        if (type == int.class || type == Integer.class) return ((Long) value).intValue();
        if (type == short.class) return ((Long) value).shortValue();
        if (type == byte.class) return ((Long) value).byteValue();
        if (type == long.class) return value;
        if (type == byte[].class) return bytes((String) value);
        if (type == ByteBuffer.class) return ByteBuffer.wrap(bytes((String) value));
        if (type == Uuid.class) {
            UUID uuid = UUID.fromString((String) value);
            return new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
        }
        if (value instanceof Map) return filled((Class<?>) type, (Map<?, ?>) value);
        boolean list = type instanceof ParameterizedType;
        ParameterizedType collection = (ParameterizedType) (list ? type : ((Class<?>) type).getGenericSuperclass());
        @SuppressWarnings("unchecked")
        Collection<Object> all = list ? new ArrayList<>() : (Collection<Object>) ((Class<?>) type).getConstructor().newInstance();
        for (Object each : (List<?>) value) all.add(held(collection.getActualTypeArguments()[0], each));
        return all;
    }

    /** Returns the fields of a message as JSON; what else its class keeps begins with an underscore or links it in a collection. */
    static Object tree(Object value) throws ReflectiveOperationException {
        if (value instanceof byte[]) return hex(ByteBuffer.wrap((byte[]) value));
        if (value instanceof ByteBuffer) return hex(((ByteBuffer) value).duplicate());
        if (value instanceof Uuid) {
            return new UUID(((Uuid) value).getMostSignificantBits(), ((Uuid) value).getLeastSignificantBits()).toString();
        }
        if (value instanceof Collection) {
            List<Object> all = new ArrayList<>();
            for (Object each : (Collection<?>) value) all.add(tree(each));
            return all;
        }
        if (!(value instanceof Message)) return value;
        Map<String, Object> tree = new LinkedHashMap<>();
        for (Field field : value.getClass().getDeclaredFields()) {
            String name = field.getName();
            if (Modifier.isStatic(field.getModifiers()) || name.startsWith("_") || name.equals("next") || name.equals("prev")) continue;
            field.setAccessible(true);
            tree.put(name, tree(field.get(value)));
        }
        return tree;
    }

    static Field field(Class<?> of, String name) throws NoSuchFieldException {
        Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int n = 0; n < bytes.length; n++) bytes[n] = (byte) (Character.digit(hex.charAt(2 * n), 16) << 4 | Character.digit(hex.charAt(2 * n + 1), 16));
        return bytes;
    }

    static String hex(ByteBuffer data) {
        StringBuilder hex = new StringBuilder();
        while (data.hasRemaining()) {
            byte next = data.get();
            hex.append(Character.forDigit(next >> 4 & 15, 16)).append(Character.forDigit(next & 15, 16));
        }
        return hex.toString();
    }
}
