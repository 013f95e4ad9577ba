package kassay;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The adapter protocol around an assignor class: {@code java -cp JARS kassay.Adapter CLASS SECONDS 3>&1 1>&2}.
 *
 * <p>One JSON object per line; requests may be sent without waiting, and are answered in order. Answers go to
 * descriptor 3; the class reads nothing. SECONDS is when to say there what a call is still busy with.
 */
public final class Adapter {
    private static final int BUFFER = 1 << 16;

    private final String name;
    private final Watch watch;
    private Assignor assignor;
    private Assignor kept;
    private Object keptAs;

    private Adapter(String name, Watch watch) {
        this.name = name;
        this.watch = watch;
    }

    /** Answers requests until their end. */
    public static void main(String[] args) throws IOException {
        OutputStream out = new BufferedOutputStream(new FileOutputStream("/dev/fd/3"), BUFFER);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), BUFFER);
        System.setIn(InputStream.nullInputStream());
        Adapter adapter = new Adapter(args[0], Watch.start(Double.parseDouble(args[1])));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                StringBuilder answer = new StringBuilder();
                Json.write(adapter.answer((Map<?, ?>) Json.read(line)), answer);
                out.write(answer.append('\n').toString().getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (OutOfMemoryError full) {
            System.err.println(Thrown.text(full));
            Runtime.getRuntime().halt(1); // nothing more can be relied on
        }
        System.exit(0); // the class may have left threads behind
    }

    private Map<String, Object> answer(Map<?, ?> request) {
        Map<String, Object> answer = new LinkedHashMap<>();
        if (request.containsKey("kassay")) {
            greet(answer);
        } else {
            answer.put("seq", request.get("seq"));
            assign((Map<?, ?>) request.get("group"), request.get("instance"), answer);
        }
        return answer;
    }

    private void greet(Map<String, Object> answer) {
        try {
            assignor = Loading.assignor(name);
        } catch (Loading.RefusedException refused) {
            answer.put("refused", refused.getMessage());
            return;
        }
        Map<String, Object> offered = new LinkedHashMap<>();
        offered.put("name", name);
        offered.put("family", assignor.family());
        offered.put("instances", assignor.isKept() ? "objects" : "none");
        answer.put("assignors", List.of(offered));
        answer.put("language", "java");
        answer.put("version", System.getProperty("java.version"));
    }

    /** Returns what asks a fresh instance, or the one of this name; only the last one named is kept. */
    private Assignor asked(Object instance) {
        if (instance == null) return assignor;
        if (!instance.equals(keptAs)) kept = assignor.keeping();
        keptAs = instance;
        return kept;
    }

    private void assign(Map<?, ?> group, Object instance, Map<String, Object> answer) {
        try {
            watch.begins();
            answer.putAll(asked(instance).answer(group));
        } catch (OutOfMemoryError full) {
            throw full;
        } catch (Throwable thrown) {
            answer.put("error", Thrown.text(thrown));
        } finally {
            watch.ended();
        }
    }
}
