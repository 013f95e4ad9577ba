package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerCoordinator;
import org.apache.kafka.clients.consumer.internals.ConsumerNetworkClient;
import org.apache.kafka.clients.consumer.internals.SubscriptionState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;

/** A member of Kafka's: its ConsumerCoordinator, an application that polls whenever it may, and the loop that sends heartbeats. */
final class Consumer implements ConsumerRebalanceListener {
    private static final int MANY = 50;
    private static final String INTERNALS = "org.apache.kafka.clients.consumer.internals.";
    private static final Class<?> ABSTRACT = Reflected.type(INTERNALS + "AbstractCoordinator");
    private static final Metrics METRICS = new Metrics();

    private final Clock clock = new Clock();
    private final Channel channel = new Channel(clock);
    private final List<Object> heard = new ArrayList<>();
    private final ConsumerNetworkClient network;
    private final SubscriptionState subscriptions;
    private final ConsumerCoordinator coordinator;
    private final Thread heartbeats;
    private final long tick;
    private boolean polls;
    private boolean began;
    private String failure;
    private Object before;

    Consumer(Map<?, ?> settings) {
        tick = (Long) settings.get("retry");
        Class<?> logging = Reflected.type("org.apache.kafka.common.utils.LogContext", "org.apache.kafka.common.utils.internals.LogContext");
        Object logs = Reflected.make(logging);
        Class<?> reset = Reflected.type(INTERNALS + "AutoOffsetResetStrategy", "org.apache.kafka.clients.consumer.OffsetResetStrategy");
        boolean old = reset.isEnum();
        subscriptions = (SubscriptionState) Reflected.make(SubscriptionState.class, logs, Reflected.field(reset, "EARLIEST"));
        Class<?> known = Reflected.type(INTERNALS + "ConsumerMetadata");
        channel.metadata = (Metadata) Reflected.make(known, tick, tick, 1L << 40, false, false, subscriptions, logs, new ClusterResourceListeners());
        network = (ConsumerNetworkClient) Reflected.make(ConsumerNetworkClient.class, logs, channel, channel.metadata, clock, tick,
                number(settings, "request"), 3_000);
        channel.network = network;
        channel.topics = (Map<?, ?>) settings.get("topics");
        Optional<Object> instance = Optional.ofNullable(settings.get("instance"));
        List<Object> config = new ArrayList<>(List.of(number(settings, "session"), number(settings, "rebalance"), number(settings, "heartbeat"),
                "g", instance));
        Class<?> rebalancing = Reflected.type("org.apache.kafka.clients.GroupRebalanceConfig");
        boolean racks = List.of(rebalancing.getConstructors()).stream().anyMatch(
                one -> one.getParameterCount() > 6 && one.getParameterTypes()[5] == String.class);
        if (racks) config.add(null);
        config.add(tick);
        config.add(tick);
        if (List.of(rebalancing.getConstructors()).stream().anyMatch(
                one -> one.getParameterCount() > 6 && one.getParameterTypes()[one.getParameterCount() - 1] == boolean.class)) {
            config.add(true);
        }
        ConsumerPartitionAssignor assignor = (Boolean) settings.get("cooperative") ? new CooperativeStickyAssignor() : new StickyAssignor();
        Class<?> intercepting = Reflected.type(INTERNALS + "ConsumerInterceptors");
        Object interceptors = old ? Reflected.make(intercepting, List.of()) : Reflected.make(intercepting, List.of(), METRICS);
        List<Object> made = new ArrayList<>(List.of(Reflected.make(rebalancing, config.toArray()), logs, network, List.of(assignor),
                channel.metadata, subscriptions, new Metrics(), "consumer", clock, false, 5_000, interceptors, false));
        if (old) made.add(null);
        made.add(Optional.empty());
        coordinator = (ConsumerCoordinator) Reflected.make(ConsumerCoordinator.class, made.toArray());
        heartbeats = thread();
        set("heartbeatThread", heartbeats);
        org.slf4j.Logger log = (org.slf4j.Logger) Proxy.newProxyInstance(Consumer.class.getClassLoader(), new Class<?>[] {org.slf4j.Logger.class},
                (proxy, method, arguments) -> {
                    if (clock.beats) Thread.currentThread().interrupt();
                    if (clock.beats && method.getName().equals("error")) before = failed().get(); // the end of the loop sets another
                    return method.getReturnType() == boolean.class ? (Object) false : null;
                });
        set("log", log);
        channel.tellMetadata();
    }

    private Thread thread() {
        try {
            Class<?> type = Class.forName(INTERNALS + "AbstractCoordinator$HeartbeatThread");
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (constructor.getParameterCount() != 1) continue;
                constructor.setAccessible(true);
                return (Thread) constructor.newInstance(coordinator);
            }
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
        throw new IllegalStateException("no thread for heartbeats");
    }

    private void set(String name, Object value) {
        set(ABSTRACT, coordinator, name, value);
    }

    private static void set(Class<?> type, Object target, String name, Object value) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            field.set(target, value);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private Object get(String name) {
        return fieldOf(ABSTRACT, coordinator, name);
    }

    private static Object fieldOf(Class<?> type, Object target, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            try {
                Field field = at.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(target);
            } catch (NoSuchFieldException absent) {
                continue;
            } catch (IllegalAccessException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
        throw new IllegalArgumentException(name);
    }

    Object act(Map<?, ?> asked) {
        heard.clear();
        channel.sent.clear();
        switch ((String) asked.get("do")) {
            case "begin":
                began = polls = true;
                subscribe(asked);
                break;
            case "subscribe":
                subscribe(asked);
                break;
            case "cluster":
                channel.topics = (Map<?, ?>) asked.get("topics");
                channel.tellMetadata();
                break;
            case "stall":
                polls = false;
                break;
            case "resume":
                polls = began;
                break;
            case "answer":
                answer(asked);
                break;
            case "break":
                channel.breakAll();
                break;
            case "commit":
                commit((List<?>) asked.get("items"));
                break;
            case "wait":
                clock.now += tick;
                break;
            case "close":
                close();
                break;
            default:
                throw new IllegalArgumentException(asked.toString());
        }
        live();
        return seen();
    }

    private void subscribe(Map<?, ?> asked) {
        Set<String> topics = new HashSet<>();
        ((List<?>) asked.get("topics")).forEach(topic -> topics.add((String) topic));
        if (subscriptions.subscribe(topics, Optional.of(this))) channel.metadata.requestUpdateForNewTopics();
    }

    private void answer(Map<?, ?> asked) {
        Class<?> kind = Messages.KINDS.get(asked.get("kind"));
        ClientRequest request = channel.newest(kind);
        if (request == null) throw new IllegalStateException("nothing open of " + asked);
        if (kind == Messages.KINDS.get("find")) {
            // While nobody polls, the loop of heartbeats asks again and again.
            for (ClientRequest other : List.copyOf(channel.open)) {
                if (kind.isInstance(other.requestBuilder().build())) channel.answer(other, Messages.response(other.requestBuilder().build(), asked));
            }
        } else {
            channel.answer(request, Messages.response(request.requestBuilder().build(), asked));
        }
    }

    private void commit(List<?> items) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : Messages.partitions(items)) offsets.put(partition, new OffsetAndMetadata(1));
        OffsetCommitCallback callback = (done, wrong) -> {
            List<Object> told = new ArrayList<>();
            told.add(wrong == null ? "committed" : "not committed");
            told.add(Messages.texts(done.keySet()));
            if (wrong != null) told.add(Messages.name(wrong));
            heard.add(told);
        };
        coordinator.commitOffsetsAsync(offsets, callback);
    }

    private void close() {
        polls = began = false;
        if (Reflected.has(coordinator, "close", 1)) {
            coordinator.close(clock.timer(0));
        } else {
            Class<?> operation = Reflected.type("org.apache.kafka.clients.consumer.CloseOptions$GroupMembershipOperation");
            Reflected.call(coordinator, "close", clock.timer(0), Reflected.field(operation, "DEFAULT"));
        }
    }

    /** Lets the application poll and heartbeats be sent until nothing happens any more. */
    private void live() {
        Object before = null;
        for (int turn = 0; turn < MANY; turn++) {
            poll();
            beat();
            Object after = List.of(channel.sent.size(), heard.size(), seen());
            if (after.equals(before)) return;
            before = after;
        }
        throw new IllegalStateException("never rests: " + before);
    }

    private void poll() {
        if (!polls || clock.now < clock.asleepUntil) return;
        try {
            coordinator.poll(clock.timer(1L << 40), true);
        } catch (WakeupException idle) {
            Object finding = get("findCoordinatorFuture");
            if (clock.now < clock.asleepUntil && finding != null && (Boolean) Reflected.call(finding, "isDone")) set("findCoordinatorFuture", null);
        } catch (RuntimeException wrong) {
            polls = began = false;
            failure = Messages.name(wrong);
        }
    }

    private boolean enabled() {
        Object enabled = fieldOf(heartbeats.getClass(), heartbeats, "enabled");
        return enabled instanceof AtomicBoolean ? ((AtomicBoolean) enabled).get() : (Boolean) enabled;
    }

    private void beat() {
        boolean polled = polls && coordinator.coordinatorUnknown(); // the application holds the lock, waiting for its coordinator
        if (get("heartbeatThread") != heartbeats || !enabled() || polled || failure != null) return;
        clock.beats = true;
        heartbeats.run();
        clock.beats = false;
        Thread.interrupted();
        boolean old = heartbeats.getClass().getSuperclass().getName().endsWith("KafkaThread");
        if (old) set(heartbeats.getClass(), heartbeats, "closed", false);
        else ((AtomicBoolean) fieldOf(heartbeats.getClass(), heartbeats, "closed")).set(false);
        failed().set(before);
    }

    @SuppressWarnings("unchecked")
    private AtomicReference<Object> failed() {
        boolean old = heartbeats.getClass().getSuperclass().getName().endsWith("KafkaThread");
        return (AtomicReference<Object>) fieldOf(heartbeats.getClass(), heartbeats, old ? "failed" : "failureCause");
    }

    private Object seen() {
        Map<String, Object> seen = new LinkedHashMap<>();
        List<Object> sent = new ArrayList<>();
        for (ClientRequest request : channel.sent) sent.add(Messages.request(request.requestBuilder().build()));
        seen.put("sent", sent);
        seen.put("heard", new ArrayList<>(heard));
        seen.put("failure", failure);
        Object generation = get("generation");
        seen.put("state", get("state").toString());
        seen.put("generation", Reflected.field(generation, "generationId"));
        seen.put("member", Reflected.field(generation, "memberId"));
        seen.put("protocol", Reflected.field(generation, "protocolName"));
        seen.put("knows", !coordinator.coordinatorUnknown());
        seen.put("owned", Messages.texts(subscriptions.assignedPartitions()));
        return seen;
    }

    private void hear(String what, Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty()) heard.add(List.of(what, Messages.texts(partitions)));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        hear("revoked", partitions);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        hear("assigned", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        hear("lost", partitions);
    }

    private static int number(Map<?, ?> settings, String key) {
        return Math.toIntExact((Long) settings.get(key));
    }
}
