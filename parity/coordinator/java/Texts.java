package kassay;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Texts as bytes and back; those of type "consumer" as a subscription to one topic, which Kafka's coordinator reads, or as the bytes that they
 * write out after 0x.
 */
final class Texts {
    private static final Map<ByteBuffer, String> TEXTS = new HashMap<>();

    private Texts() {}

    /** What stands for metadata of type "consumer" that cannot be read: version 1 with no list of topics. */
    private static final String UNREADABLE = "unreadable";

    private static final String WRITTEN_OUT = "0x";

    static byte[] bytes(String type, String text) {
        byte[] plain = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = plain;
        if (text.startsWith(WRITTEN_OUT)) {
            bytes = new byte[text.length() / 2 - 1];
            for (int n = 0; n < bytes.length; n++) bytes[n] = (byte) Integer.parseInt(text.substring(2 * n + 2, 2 * n + 4), 16);
        } else if (type.equals("consumer") && text.equals(UNREADABLE)) {
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
