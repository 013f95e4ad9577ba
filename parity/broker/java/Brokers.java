package kassay;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/**
 * A Kafka cluster in one process: {@code java -cp JARS kassay.Brokers CLUSTER_ID FILE...}, a properties file for each broker.
 *
 * <p>Formats their folders, runs kafka.Kafka for each, and is gone when standard input ends, whoever started it.
 */
public final class Brokers {
    private Brokers() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        Thread watching = new Thread(Brokers::watch);
        watching.setDaemon(true);
        watching.start();
        for (int n = 1; n < args.length; n++) format(args[0], args[n]);
        for (int n = 1; n < args.length; n++) {
            String file = args[n];
            new Thread(() -> serve(file), file).start();
        }
    }

    private static void watch() {
        try {
            while (System.in.read() >= 0) continue;
        } catch (IOException gone) {
            System.err.println(gone);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void format(String cluster, String file) throws ReflectiveOperationException {
        String[] command = {"format", "--cluster-id", cluster, "--config", file};
        Object status = Class.forName("kafka.tools.StorageTool")
            .getMethod("execute", String[].class, PrintStream.class)
            .invoke(null, command, System.out);
        if (!status.equals(0)) throw new IllegalStateException("kafka.tools.StorageTool: exit status " + status);
    }

    private static void serve(String file) {
        try {
            Class.forName("kafka.Kafka").getMethod("main", String[].class).invoke(null, (Object) new String[] {file});
        } catch (InvocationTargetException thrown) {
            thrown.getCause().printStackTrace();
            Runtime.getRuntime().halt(1);
        } catch (ReflectiveOperationException missing) {
            missing.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
