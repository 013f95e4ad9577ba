package kassay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;

/** Requests as JSON, and responses from JSON. */
final class Messages {
    static final Map<Object, Class<?>> KINDS = Map.of("find", FindCoordinatorRequest.class, "join", JoinGroupRequest.class, "sync",
            SyncGroupRequest.class, "heartbeat", HeartbeatRequest.class, "leave", LeaveGroupRequest.class, "commit", OffsetCommitRequest.class);

    private Messages() {}

    static Object request(AbstractRequest request) {
        Map<String, Object> told = new LinkedHashMap<>();
        for (Map.Entry<Object, Class<?>> kind : KINDS.entrySet()) if (kind.getValue().isInstance(request)) told.put("kind", kind.getKey());
        if (request instanceof JoinGroupRequest) {
            JoinGroupRequestData data = ((JoinGroupRequest) request).data();
            told.put("member", data.memberId());
            told.put("instance", data.groupInstanceId());
            told.put("session", data.sessionTimeoutMs());
            told.put("rebalance", data.rebalanceTimeoutMs());
            told.put("type", data.protocolType());
            told.put("reason", data.reason());
            List<Object> protocols = new ArrayList<>();
            for (Object one : (Collection<?>) Reflected.call(data, "protocols")) protocols.add(protocol((JoinGroupRequestData.JoinGroupRequestProtocol) one));
            told.put("protocols", protocols);
        } else if (request instanceof SyncGroupRequest) {
            SyncGroupRequestData data = ((SyncGroupRequest) request).data();
            told.put("generation", data.generationId());
            told.put("member", data.memberId());
            told.put("instance", data.groupInstanceId());
            told.put("type", data.protocolType());
            told.put("protocol", data.protocolName());
            Map<String, Object> states = new TreeMap<>();
            for (SyncGroupRequestData.SyncGroupRequestAssignment one : data.assignments()) {
                states.put(one.memberId(), texts(ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(one.assignment())).partitions()));
            }
            told.put("states", states);
        } else if (request instanceof HeartbeatRequest) {
            told.put("generation", ((HeartbeatRequest) request).data().generationId());
            told.put("member", ((HeartbeatRequest) request).data().memberId());
            told.put("instance", ((HeartbeatRequest) request).data().groupInstanceId());
        } else if (request instanceof LeaveGroupRequest) {
            List<Object> members = new ArrayList<>();
            ((LeaveGroupRequest) request).data().members().forEach(member -> {
                List<Object> one = new ArrayList<>();
                one.add(member.memberId());
                one.add(member.groupInstanceId());
                members.add(one);
            });
            told.put("members", members);
        } else if (request instanceof OffsetCommitRequest) {
            OffsetCommitRequestData data = ((OffsetCommitRequest) request).data();
            told.put("generation", data.generationIdOrMemberEpoch());
            told.put("member", data.memberId());
            told.put("instance", data.groupInstanceId());
            List<TopicPartition> items = new ArrayList<>();
            data.topics().forEach(topic -> topic.partitions().forEach(one -> items.add(new TopicPartition(topic.name(), one.partitionIndex()))));
            told.put("items", texts(items));
        }
        return told;
    }

    private static Object protocol(JoinGroupRequestData.JoinGroupRequestProtocol protocol) {
        Subscription subscription = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(protocol.metadata()));
        List<Object> told = new ArrayList<>();
        told.add(protocol.name());
        List<String> topics = new ArrayList<>(subscription.topics());
        topics.sort(null);
        told.add(topics);
        if (protocol.name().equals("sticky")) {
            // What an eager member had stands in the data of its assignor, and it says that it owns nothing.
            if (!subscription.ownedPartitions().isEmpty()) throw new IllegalStateException("an eager member owns while it joins");
            Object had = Reflected.call(new StickyAssignor(), "memberData", subscription);
            told.add(texts((Collection<?>) Reflected.field(had, "partitions")));
            told.add(((Optional<?>) Reflected.field(had, "generation")).orElse(null));
        } else {
            told.add(texts(subscription.ownedPartitions()));
            told.add(subscription.generationId().filter(number -> number >= 0).orElse(null));
        }
        return told;
    }

    static AbstractResponse response(AbstractRequest request, Map<?, ?> asked) {
        short error = ((Long) asked.get("error")).shortValue();
        if (request instanceof FindCoordinatorRequest) {
            return new FindCoordinatorResponse(new FindCoordinatorResponseData().setCoordinators(List.of(new FindCoordinatorResponseData.Coordinator()
                    .setKey("g").setErrorCode(error).setNodeId(error == 0 ? 0 : -1).setHost(error == 0 ? "broker" : "").setPort(9092))));
        }
        if (request instanceof JoinGroupRequest) {
            JoinGroupResponseData data = new JoinGroupResponseData().setErrorCode(error).setGenerationId(number(asked, "generation"))
                    .setMemberId((String) asked.get("member")).setLeader((String) asked.get("leader")).setProtocolType((String) asked.get("type"))
                    .setProtocolName((String) asked.get("protocol")).setSkipAssignment((Boolean) asked.get("skip"));
            for (Object member : (List<?>) asked.get("members")) {
                List<?> one = (List<?>) member;
                byte[] metadata = own((JoinGroupRequest) request);
                if (!one.get(0).equals(asked.get("member"))) {
                    List<String> topics = new ArrayList<>();
                    ((List<?>) one.get(2)).forEach(topic -> topics.add((String) topic));
                    metadata = array(ConsumerProtocol.serializeSubscription(new Subscription(topics, null, partitions((List<?>) one.get(3)),
                            one.get(4) == null ? -1 : Math.toIntExact((Long) one.get(4)), Optional.empty())));
                }
                data.members().add(new JoinGroupResponseData.JoinGroupResponseMember().setMemberId((String) one.get(0))
                        .setGroupInstanceId((String) one.get(1)).setMetadata(metadata));
            }
            return new JoinGroupResponse(data, (short) 9);
        }
        if (request instanceof SyncGroupRequest) {
            SyncGroupResponseData data = new SyncGroupResponseData().setErrorCode(error).setProtocolType((String) asked.get("type"))
                    .setProtocolName((String) asked.get("protocol"));
            if (error == 0) data.setAssignment(array(ConsumerProtocol.serializeAssignment(new Assignment(partitions((List<?>) asked.get("state"))))));
            return new SyncGroupResponse(data);
        }
        if (request instanceof HeartbeatRequest) return new HeartbeatResponse(new HeartbeatResponseData().setErrorCode(error));
        if (request instanceof LeaveGroupRequest) return new LeaveGroupResponse(new LeaveGroupResponseData().setErrorCode(error));
        OffsetCommitResponseData data = new OffsetCommitResponseData();
        ((OffsetCommitRequest) request).data().topics().forEach(topic -> {
            OffsetCommitResponseData.OffsetCommitResponseTopic one = new OffsetCommitResponseData.OffsetCommitResponseTopic().setName(topic.name());
            topic.partitions().forEach(partition -> one.partitions().add(new OffsetCommitResponseData.OffsetCommitResponsePartition()
                    .setPartitionIndex(partition.partitionIndex()).setErrorCode(error)));
            data.topics().add(one);
        });
        return new OffsetCommitResponse(data);
    }

    private static byte[] own(JoinGroupRequest request) {
        Collection<?> protocols = (Collection<?>) Reflected.call(request.data(), "protocols");
        return ((JoinGroupRequestData.JoinGroupRequestProtocol) protocols.iterator().next()).metadata();
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    static List<TopicPartition> partitions(List<?> texts) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (Object text : texts) {
            int at = ((String) text).lastIndexOf('-');
            partitions.add(new TopicPartition(((String) text).substring(0, at), Integer.parseInt(((String) text).substring(at + 1))));
        }
        return partitions;
    }

    static List<String> texts(Collection<?> partitions) {
        List<String> texts = new ArrayList<>();
        partitions.forEach(partition -> texts.add(partition.toString()));
        texts.sort(null);
        return texts;
    }

    /** Returns what an exception says: the error, or its class where it stands for several. */
    static String name(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        Errors error = Errors.forException(thrown);
        return error == Errors.UNKNOWN_SERVER_ERROR ? name : error.name();
    }

    private static int number(Map<?, ?> asked, String key) {
        return Math.toIntExact((Long) asked.get(key));
    }
}
