package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Kafka's own members, many at once: {@code java -cp JARS kassay.Members}.
 *
 * <p>One JSON object per line names the member ("n") and what happens ("do"); the answer tells what it sent, what its application heard, and
 * what it is afterwards.
 */
public final class Members {
    private Members() {}

    public static void main(String[] args) throws IOException {
        Map<Long, Consumer> consumers = new HashMap<>();
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<?, ?> asked = (Map<?, ?>) Json.read(line);
            Object told = Map.of();
            if (asked.get("do").equals("forget")) {
                consumers.remove(asked.get("n"));
            } else {
                try {
                    told = consumers.computeIfAbsent((Long) asked.get("n"), key -> new Consumer((Map<?, ?>) asked.get("settings"))).act(asked);
                } catch (IllegalStateException broken) {
                    told = Map.of("broken", broken + " " + List.of(broken.getStackTrace()));
                }
            }
            StringBuilder answer = new StringBuilder();
            Json.write(told, answer);
            out.append(answer).append('\n').flush();
        }
    }
}
