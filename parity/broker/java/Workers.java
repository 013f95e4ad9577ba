package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.connector.policy.ConnectorClientConfigOverridePolicy;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.distributed.DistributedConfig;
import org.apache.kafka.connect.runtime.distributed.DistributedHerder;
import org.apache.kafka.connect.runtime.isolation.Plugins;
import org.apache.kafka.connect.runtime.rest.RestClient;
import org.apache.kafka.connect.runtime.rest.RestServer;

/**
 * Workers of Connect in one process: {@code java -cp JARS kassay.Workers}. Each line of standard input is a worker's properties file,
 * which starts it the first time, and stops it the second time; ends when standard input does.
 */
public final class Workers {
    private Workers() {}

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<String, Connect<?>> running = new HashMap<>();
        for (String file = in.readLine(); file != null; file = in.readLine()) {
            if (running.containsKey(file)) {
                running.remove(file).stop();
            } else {
                running.put(file, new Worker().startConnect(Utils.propsToStringMap(Utils.loadProps(file))));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** A worker whose assignor, before it starts, becomes one that prints what it is asked. */
    private static final class Worker extends ConnectDistributed {
        @Override
        protected DistributedHerder createHerder(
            DistributedConfig config, String id, Plugins plugins, ConnectorClientConfigOverridePolicy policy, RestServer server,
            RestClient client) {
            DistributedHerder herder = super.createHerder(config, id, plugins, policy, server, client);
            try {
                Object member = field(herder, "member").get(herder);
                Object coordinator = field(member, "coordinator").get(member);
                int delay = config.getInt(DistributedConfig.SCHEDULED_REBALANCE_MAX_DELAY_MS_CONFIG);
                field(coordinator, "incrementalAssignor").set(coordinator, new Rounds(delay));
            } catch (ReflectiveOperationException missing) {
                throw new IllegalStateException(missing);
            }
            return herder;
        }

        private static Field field(Object of, String name) throws NoSuchFieldException {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field;
        }
    }
}
