package kassay;

import java.util.ArrayList;
import java.util.List;

/** Writes what was thrown as one line: the class, the message, and in brackets where, innermost first. */
final class Thrown {
    private static final int DEPTH = 6;
    private static final int CAUSES = 3;

    private Thrown() {}

    /** Writes an exception with the top of its stack, and its causes. */
    static String text(Throwable thrown) {
        StringBuilder text = new StringBuilder(words(thrown));
        for (int n = 0; n < CAUSES && thrown.getCause() != null; n++) {
            thrown = thrown.getCause();
            text.append("; caused by ").append(words(thrown));
        }
        return text + " [at " + stack(thrown.getStackTrace()) + "]";
    }

    private static String words(Throwable thrown) {
        String name = thrown.getClass().getSimpleName(), message = thrown.getMessage();
        return message == null ? name : name + ": " + message;
    }

    /** Writes the innermost calls down to ours; of Java's own classes only the innermost of all. */
    static String stack(StackTraceElement[] calls) {
        List<String> lines = new ArrayList<>();
        for (StackTraceElement call : calls) {
            if (lines.size() == DEPTH || call.getClassName().startsWith("kassay.")) break;
            String name = call.getClassName();
            if (!lines.isEmpty() && name.matches("(java|jdk|sun)\\..*")) continue;
            lines.add(name.substring(name.lastIndexOf('.') + 1) + "." + call.getMethodName()
                + "(" + call.getFileName() + ":" + call.getLineNumber() + ")");
        }
        return lines.isEmpty() ? "kassay's own adapter" : String.join(" < ", lines);
    }

    /** Throws anything on, checked or not. */
    static RuntimeException again(Throwable thrown) {
        Thrown.<RuntimeException>sneak(thrown);
        return null;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
