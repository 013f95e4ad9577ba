package kassay;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Texts as bytes and back; those of type "consumer" as a subscription to one topic, which Kafka's coordinator reads. */
final class Texts {
    private static final Map<ByteBuffer, String> TEXTS = new HashMap<>();

    private Texts() {}

    /** What stands for metadata of type "consumer" that cannot be read: version 1 with no list of topics. */
    private static final String UNREADABLE = "unreadable";

    static byte[] bytes(String type, String text) {
        byte[] plain = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = plain;
        if (type.equals("consumer") && text.equals(UNREADABLE)) {
            bytes = new byte[] {0, 1, -1, -1, -1, -1};
        } else if (type.equals("consumer")) {
            ByteBuffer subscription = ByteBuffer.allocate(12 + plain.length);
            subscription.putShort((short) 0).putInt(1).putShort((short) plain.length).put(plain).putInt(-1);
            bytes = subscription.array();
        }
        TEXTS.put(ByteBuffer.wrap(bytes.clone()), text);
        return bytes;
    }

    /** Returns null for no bytes. */
    static String text(byte[] bytes) {
        if (bytes == null || bytes.length == 0) return null;
        String text = TEXTS.get(ByteBuffer.wrap(bytes));
        if (text == null) throw new IllegalStateException("bytes that nobody sent");
        return text;
    }
}
