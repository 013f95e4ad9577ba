package kassay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * Kafka's own coordinators, many at once: {@code java -cp JARS kassay.Coordinators}.
 *
 * <p>One JSON object per line names the coordinator ("n"), the time ("now") and what happens ("do"); the answer tells what was answered
 * and written, the timers, and the group afterwards.
 */
public final class Coordinators {
    private static final String GROUP = "g";

    /** What a refused JoinGroup is told where Kafka says nothing of it. */
    private static final Map<String, Object> REFUSED = refused();

    private final Map<Long, Node> nodes = new HashMap<>();

    public static void main(String[] args) throws IOException {
        Coordinators coordinators = new Coordinators();
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder answer = new StringBuilder();
            Json.write(coordinators.answer((Map<?, ?>) Json.read(line)), answer);
            out.append(answer).append('\n').flush();
        }
    }

    private Object answer(Map<?, ?> asked) {
        Long number = (Long) asked.get("n");
        if (asked.get("do").equals("forget")) {
            nodes.remove(number);
            return Map.of();
        }
        Node node = nodes.computeIfAbsent(number, key -> new Node((Map<?, ?>) asked.get("settings")));
        node.at((Long) asked.get("now"));
        act(node, asked);
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("replies", node.replies);
        seen.put("written", node.written);
        seen.put("timers", node.due());
        seen.put("group", Seen.group(node.shard));
        return seen;
    }

    private static void act(Node node, Map<?, ?> asked) {
        String outcome = (String) asked.get("outcome");
        switch ((String) asked.get("do")) {
            case "load":
                break;
            case "join":
                join(node, asked, outcome);
                break;
            case "sync":
                sync(node, asked, outcome);
                break;
            case "heartbeat":
                heartbeat(node, asked, outcome);
                break;
            case "leave":
                leave(node, asked, outcome);
                break;
            case "commit":
                commit(node, asked, outcome);
                break;
            case "alarm":
                node.alarm((String) asked.get("key"), outcome);
                break;
            case "written":
                node.written();
                break;
            case "timed out":
                node.timedOut();
                break;
            case "fail over":
                node.failOver((Boolean) asked.get("crashes"), Math.toIntExact((Long) asked.get("kept")));
                break;
            default:
                throw new IllegalArgumentException(asked.toString());
        }
    }

    private static void join(Node node, Map<?, ?> asked, String outcome) {
        JoinGroupRequestData data = new JoinGroupRequestData()
                .setGroupId(GROUP)
                .setMemberId((String) asked.get("member"))
                .setGroupInstanceId((String) asked.get("instance"))
                .setSessionTimeoutMs(number(asked, "session"))
                .setRebalanceTimeoutMs(number(asked, "rebalance"))
                .setProtocolType((String) asked.get("type"));
        @SuppressWarnings("unchecked") // the class of the collection is in another package from 4.4 on
        Collection<Object> protocols = (Collection<Object>) Reflected.call(data, "protocols");
        for (Object protocol : (List<?>) asked.get("protocols")) {
            List<?> own = (List<?>) protocol;
            protocols.add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                    .setName((String) own.get(0))
                    .setMetadata(Texts.bytes((String) asked.get("type"), (String) own.get(1))));
        }
        CompletableFuture<JoinGroupResponseData> future = new CompletableFuture<>();
        future.thenAccept(response -> reply(node, asked, joined(response)));
        RequestContext context = context(ApiKeys.JOIN_GROUP, number(asked, "version"));
        Supplier<Object> operation = () -> Reflected.has(node.shard, "classicGroupJoin", 4)
                ? Reflected.call(node.shard, "classicGroupJoin", context, data, future, false)
                : Reflected.call(node.shard, "classicGroupJoin", context, data, future);
        node.run(operation, outcome, response -> {}, wrong -> future.complete(new JoinGroupResponseData().setErrorCode(code(wrong))));
    }

    private static Object joined(JoinGroupResponseData data) {
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("error", data.errorCode());
        seen.put("member", data.memberId());
        seen.put("generation", data.generationId());
        seen.put("type", data.protocolType());
        seen.put("protocol", data.protocolName());
        seen.put("leader", data.leader());
        seen.put("skip", data.skipAssignment());
        Map<String, Object> members = new TreeMap<>();
        for (JoinGroupResponseData.JoinGroupResponseMember member : data.members()) {
            List<Object> one = new ArrayList<>();
            one.add(member.groupInstanceId());
            one.add(Texts.text(member.metadata()));
            members.put(member.memberId(), one);
        }
        seen.put("members", members);
        if (data.errorCode() != 0) seen.entrySet().removeAll(REFUSED.entrySet());
        return seen;
    }

    private static Map<String, Object> refused() {
        Map<String, Object> refused = new HashMap<>();
        refused.put("generation", -1);
        refused.put("type", null);
        refused.put("protocol", "");
        refused.put("leader", "");
        refused.put("skip", false);
        refused.put("members", Map.of());
        return refused;
    }

    private static void sync(Node node, Map<?, ?> asked, String outcome) {
        SyncGroupRequestData data = new SyncGroupRequestData()
                .setGroupId(GROUP)
                .setGenerationId(number(asked, "generation"))
                .setMemberId((String) asked.get("member"))
                .setGroupInstanceId((String) asked.get("instance"))
                .setProtocolType((String) asked.get("type"))
                .setProtocolName((String) asked.get("protocol"));
        for (Map.Entry<?, ?> state : ((Map<?, ?>) asked.get("states")).entrySet()) {
            data.assignments().add(new SyncGroupRequestData.SyncGroupRequestAssignment()
                    .setMemberId((String) state.getKey())
                    .setAssignment(Texts.bytes("", (String) state.getValue())));
        }
        CompletableFuture<SyncGroupResponseData> future = new CompletableFuture<>();
        future.thenAccept(response -> reply(node, asked, synced(response)));
        RequestContext context = context(ApiKeys.SYNC_GROUP, 5);
        node.run(() -> Reflected.call(node.shard, "classicGroupSync", context, data, future), outcome, response -> {},
                wrong -> future.complete(new SyncGroupResponseData().setErrorCode(code(wrong))));
    }

    private static Object synced(SyncGroupResponseData data) {
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("error", data.errorCode());
        seen.put("type", data.protocolType());
        seen.put("protocol", data.protocolName());
        seen.put("state", Texts.text(data.assignment()));
        if (data.errorCode() != 0) seen.values().removeIf(value -> value == null);
        return seen;
    }

    private static void heartbeat(Node node, Map<?, ?> asked, String outcome) {
        HeartbeatRequestData data = new HeartbeatRequestData()
                .setGroupId(GROUP)
                .setGenerationId(number(asked, "generation"))
                .setMemberId((String) asked.get("member"))
                .setGroupInstanceId((String) asked.get("instance"));
        RequestContext context = context(ApiKeys.HEARTBEAT, 4);
        node.run(() -> Reflected.call(node.shard, "classicGroupHeartbeat", context, data), outcome,
                response -> reply(node, asked, Map.of("error", ((HeartbeatResponseData) response).errorCode())),
                wrong -> reply(node, asked, Map.of("error", code(wrong))));
    }

    private static void leave(Node node, Map<?, ?> asked, String outcome) {
        LeaveGroupRequestData data = new LeaveGroupRequestData().setGroupId(GROUP);
        for (Object leaving : (List<?>) asked.get("members")) {
            List<?> ids = (List<?>) leaving;
            data.members().add(new LeaveGroupRequestData.MemberIdentity()
                    .setMemberId((String) ids.get(0)).setGroupInstanceId((String) ids.get(1)));
        }
        RequestContext context = context(ApiKeys.LEAVE_GROUP, 5);
        node.run(() -> Reflected.call(node.shard, "classicGroupLeave", context, data), outcome,
                response -> reply(node, asked, left((LeaveGroupResponseData) response)),
                wrong -> reply(node, asked, wrong instanceof UnknownMemberIdException
                        ? allUnknown(data)
                        : Map.of("error", code(wrong), "members", List.of())));
    }

    private static Object left(LeaveGroupResponseData data) {
        List<Object> errors = new ArrayList<>();
        data.members().forEach(member -> errors.add(gone(member.memberId(), member.groupInstanceId(), member.errorCode())));
        return Map.of("error", data.errorCode(), "members", errors);
    }

    private static Object allUnknown(LeaveGroupRequestData data) {
        List<Object> errors = new ArrayList<>();
        data.members().forEach(
                member -> errors.add(gone(member.memberId(), member.groupInstanceId(), Errors.UNKNOWN_MEMBER_ID.code())));
        return Map.of("error", 0, "members", errors);
    }

    private static List<Object> gone(String memberId, String instanceId, short error) {
        List<Object> gone = new ArrayList<>();
        gone.add(memberId);
        gone.add(instanceId);
        gone.add(error);
        return gone;
    }

    private static void commit(Node node, Map<?, ?> asked, String outcome) {
        OffsetCommitRequestData data = new OffsetCommitRequestData()
                .setGroupId(GROUP)
                .setMemberId((String) asked.get("member"))
                .setGroupInstanceId((String) asked.get("instance"));
        // Renamed in 3.5 and 4.1; the number is the same.
        Reflected.call(data, Reflected.has(data, "setGenerationIdOrMemberEpoch", 1) ? "setGenerationIdOrMemberEpoch" : "setGenerationId",
                number(asked, "generation"));
        for (Object item : (List<?>) asked.get("items")) {
            data.topics().add(new OffsetCommitRequestData.OffsetCommitRequestTopic().setName((String) item)
                    .setPartitions(new ArrayList<>(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition().setCommittedOffset(1)))));
        }
        RequestContext context = context(ApiKeys.OFFSET_COMMIT, 8);
        node.run(() -> Reflected.call(node.shard, "commitOffset", context, data), outcome,
                response -> reply(node, asked, Map.of("error",
                        ((OffsetCommitResponseData) response).topics().get(0).partitions().get(0).errorCode())),
                wrong -> reply(node, asked, Map.of("error", code(wrong))));
    }

    private static void reply(Node node, Map<?, ?> asked, Object response) {
        node.replies.add(List.of(asked.get("token"), response));
    }

    /** Returns the code that the service makes of what was thrown. */
    private static short code(Throwable thrown) {
        Errors error = Errors.forException(thrown);
        switch (error) {
            case NOT_ENOUGH_REPLICAS:
            case REQUEST_TIMED_OUT:
                return Errors.COORDINATOR_NOT_AVAILABLE.code();
            case KAFKA_STORAGE_ERROR:
                return Errors.NOT_COORDINATOR.code();
            case MESSAGE_TOO_LARGE:
                return Errors.UNKNOWN_SERVER_ERROR.code();
            default:
                return error.code();
        }
    }

    private static int number(Map<?, ?> asked, String key) {
        return Math.toIntExact((Long) asked.get(key));
    }

    private static RequestContext context(ApiKeys api, int version) {
        RequestHeader header = new RequestHeader(api, (short) version, "client", 0);
        return new RequestContext(header, "1", InetAddress.getLoopbackAddress(), KafkaPrincipal.ANONYMOUS,
                new ListenerName("L"), SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, false);
    }
}
