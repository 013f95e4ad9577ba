package kassay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** A connector that has as many tasks as it may, none of which does anything. */
public final class Idle extends SourceConnector {
    @Override
    public void start(Map<String, String> properties) {}

    @Override
    public Class<? extends Task> taskClass() {
        return Waiting.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        List<Map<String, String>> configs = new ArrayList<>();
        for (int n = 0; n < most; n++) configs.add(Map.of("number", String.valueOf(n)));
        return configs;
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    @Override
    public String version() {
        return "1";
    }

    /** A task that waits. */
    public static final class Waiting extends SourceTask {
        @Override
        public String version() {
            return "1";
        }

        @Override
        public void start(Map<String, String> properties) {}

        @Override
        public List<SourceRecord> poll() throws InterruptedException {
            Thread.sleep(200);
            return null;
        }

        @Override
        public void stop() {}
    }
}
