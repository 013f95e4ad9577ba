package kassay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The settings of an application that its task assignor reads: as given, or else as by default. */
final class Settings {
    /** How long a rebalance waits for warm-ups, which no assignment depends on: Kafka's default, in milliseconds. */
    static final long PROBING_INTERVAL_MS = 600_000;

    /** Kafka's defaults. */
    static final Settings USUAL = new Settings(Map.of());

    final long acceptableRecoveryLag;
    final int warmups;
    final int standbys;
    final List<String> tags = new ArrayList<>();
    final String strategy;
    /** Null where it is not set, so that it is the assignor's own. */
    final Integer trafficCost;
    /** Null where it is not set, so that it is the assignor's own. */
    final Integer nonOverlapCost;

    private final Map<String, Object> given = new HashMap<>();

    Settings(Map<?, ?> json) {
        Object lag = json.get("acceptable.recovery.lag");
        acceptableRecoveryLag = lag == null ? 10_000 : (Long) lag;
        warmups = number(json, "max.warmup.replicas", 2);
        standbys = number(json, "num.standby.replicas", 0);
        if (json.get("rack.aware.assignment.tags") != null) {
            for (Object tag : (List<?>) json.get("rack.aware.assignment.tags")) tags.add((String) tag);
        }
        Object named = json.get("rack.aware.assignment.strategy");
        strategy = named == null ? "none" : (String) named;
        trafficCost = number(json, "rack.aware.assignment.traffic_cost", null);
        nonOverlapCost = number(json, "rack.aware.assignment.non_overlap_cost", null);
        json.forEach((name, value) -> given.put((String) name, value instanceof Long ? fitting((Long) value) : value));
    }

    /** Makes what clients of these settings are configured with. */
    Map<String, Object> configs() {
        Map<String, Object> configs = new HashMap<>(given);
        configs.put("application.id", Loading.GROUP);
        configs.put("bootstrap.servers", "localhost:9092");
        return configs;
    }

    private static Integer number(Map<?, ?> json, String name, Integer usual) {
        return json.get(name) == null ? usual : (Integer) Group.number(json.get(name));
    }

    private static Object fitting(Long value) {
        return value == value.intValue() ? (Object) value.intValue() : value;
    }
}
