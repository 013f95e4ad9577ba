package kassay;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/** Builds a GroupCoordinatorShard, as the releases from 3.9 on want it. */
final class Shards {
    private static final String GROUP = "org.apache.kafka.coordinator.group.";
    private static final String[] RUNTIMES = {"org.apache.kafka.coordinator.common.runtime.", GROUP + "runtime."};
    private static final Class<?> LOG_CONTEXT =
            Reflected.type("org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext");
    private static final Class<?> CONFIG = Reflected.type(GROUP + "GroupCoordinatorConfig");

    private Shards() {}

    static Object snapshots() {
        return Reflected.make(Reflected.type("org.apache.kafka.timeline.SnapshotRegistry"), Reflected.make(LOG_CONTEXT));
    }

    static void snapshot(Object snapshots, long offset) {
        boolean later = Reflected.has(snapshots, "idempotentCreateSnapshot", 1);
        Reflected.call(snapshots, later ? "idempotentCreateSnapshot" : "getOrCreateSnapshot", offset);
    }

    static Object build(Object snapshots, InvocationHandler time, InvocationHandler timer, Map<?, ?> settings) {
        AbstractConfig values = new AbstractConfig(definition(), settings, false);
        Object config = Reflected.make(CONFIG, values);
        Class<?> type = Reflected.type(GROUP + "GroupCoordinatorShard$Builder");
        Object builder = type.getConstructors()[0].getParameterCount() == 1
                ? Reflected.make(type, config)
                : Reflected.make(type, config, groupConfigs(config, values));
        Reflected.call(builder, "withLogContext", Reflected.make(LOG_CONTEXT));
        Reflected.call(builder, "withSnapshotRegistry", snapshots);
        Reflected.call(builder, "withTime", mock(Reflected.type("org.apache.kafka.common.utils.Time"), time));
        Reflected.call(builder, "withTimer", mock(runtime("CoordinatorTimer"), timer));
        Reflected.call(builder, "withTopicPartition", new TopicPartition("__consumer_offsets", 0));
        Reflected.call(builder, "withCoordinatorMetrics", Reflected.make(Reflected.type(GROUP + "metrics.GroupCoordinatorMetrics")));
        if (Reflected.has(builder, "withExecutor", 1)) {
            Reflected.call(builder, "withExecutor", mock(runtime("CoordinatorExecutor"), Shards::never));
        }
        if (Reflected.has(builder, "withAuthorizerPlugin", 1)) {
            Reflected.call(builder, "withAuthorizerPlugin", Optional.empty());
        }
        return Reflected.call(builder, "build");
    }

    static void loaded(Object shard) {
        for (Method method : shard.getClass().getMethods()) {
            if (!method.getName().equals("onLoaded") || method.getParameterCount() != 1) continue;
            Class<?> image = method.getParameterTypes()[0];
            if (image.getSimpleName().endsWith("MetadataImage")) {
                Reflected.call(shard, "onLoaded", Reflected.field(image, "EMPTY"));
                return;
            }
        }
        throw new IllegalStateException("no onLoaded");
    }

    private static Object groupConfigs(Object config, AbstractConfig values) {
        Class<?> type = Reflected.type(GROUP + "GroupConfigManager");
        Class<?>[] takes = type.getConstructors()[0].getParameterTypes();
        if (takes.length == 1) return Reflected.make(type, Map.of());
        Object shared = Reflected.make(Reflected.type(GROUP + "modern.share.ShareGroupConfig"), values);
        return takes.length == 3 ? Reflected.make(type, Map.of(), config, shared) : Reflected.make(type, config, shared);
    }

    private static ConfigDef definition() {
        Map<String, ConfigDef.ConfigKey> keys = new HashMap<>();
        for (String name : new String[] {GROUP + "GroupCoordinatorConfig", GROUP + "modern.share.ShareGroupConfig"}) {
            Class<?> type;
            try {
                type = Class.forName(name);
            } catch (ClassNotFoundException absent) {
                continue;
            }
            for (java.lang.reflect.Field field : type.getFields()) {
                if (field.getType() == ConfigDef.class) keys.putAll(((ConfigDef) Reflected.field(type, field.getName())).configKeys());
            }
        }
        ConfigDef all = new ConfigDef();
        keys.values().forEach(all::define);
        return all;
    }

    private static Class<?> runtime(String name) {
        return Reflected.type(RUNTIMES[0] + name, RUNTIMES[1] + name);
    }

    private static Object mock(Class<?> type, InvocationHandler answers) {
        return Proxy.newProxyInstance(Shards.class.getClassLoader(), new Class<?>[] {type}, answers);
    }

    private static Object never(Object proxy, Method method, Object[] arguments) {
        throw new UnsupportedOperationException(method.getName());
    }
}
