package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.connect.cli.ConnectDistributed;

/**
 * Workers of Connect in one process: {@code java -cp JARS kassay.Workers}. Each line of standard input is a worker's properties file,
 * which starts it; ends when standard input does.
 */
public final class Workers {
    private Workers() {}

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String file = line;
            new Thread(() -> ConnectDistributed.main(new String[] {file}), file).start();
        }
        Runtime.getRuntime().halt(0);
    }
}
