package kassay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;

/** What can be seen of a group and of a record, as JSON. */
final class Seen {
    private Seen() {}

    /** Returns the only group, or null. */
    static Object group(Object shard) {
        if (shard == null) return null;
        Map<?, ?> groups = (Map<?, ?>) Reflected.field(Reflected.field(shard, "groupMetadataManager"), "groups");
        if (groups.isEmpty()) return null;
        Object group = groups.get("g");
        Map<String, Object> seen = new TreeMap<>();
        String state = Reflected.call(group, "currentState").toString();
        seen.put("state", state);
        seen.put("initial", state.equals("PreparingRebalance") && Reflected.call(group, "previousState").toString().equals("Empty"));
        seen.put("generation", Reflected.call(group, "generationId"));
        seen.put("type", optional(Reflected.call(group, "protocolType")));
        seen.put("protocol", optional(Reflected.call(group, "protocolName")));
        seen.put("leader", Reflected.call(group, "leaderOrNull"));
        seen.put("added", Reflected.call(group, "newMemberAdded"));
        seen.put("pending", new ArrayList<>(new TreeSet<>((Collection<?>) Reflected.field(group, "pendingJoinMembers"))));
        seen.put("unsynced", new ArrayList<>(new TreeSet<>((Collection<?>) Reflected.call(group, "allPendingSyncMembers"))));
        Map<String, Object> members = new TreeMap<>();
        for (Object member : (Collection<?>) Reflected.call(group, "allMembers")) {
            members.put((String) Reflected.call(member, "memberId"), member(member));
        }
        seen.put("members", members);
        return seen;
    }

    private static Object member(Object member) {
        List<Object> protocols = new ArrayList<>();
        for (Object protocol : (Iterable<?>) Reflected.call(member, "supportedProtocols")) {
            JoinGroupRequestProtocol own = (JoinGroupRequestProtocol) protocol;
            protocols.add(List.of(own.name(), String.valueOf(Texts.text(own.metadata()))));
        }
        List<Object> seen = new ArrayList<>();
        seen.add(optional(Reflected.call(member, "groupInstanceId")));
        seen.add(Reflected.call(member, "sessionTimeoutMs"));
        seen.add(Reflected.call(member, "rebalanceTimeoutMs"));
        seen.add(protocols);
        seen.add(Texts.text((byte[]) Reflected.call(member, "assignment")));
        seen.add(Reflected.call(member, "isAwaitingJoin"));
        seen.add(Reflected.call(member, "isAwaitingSync"));
        seen.add(Reflected.call(member, "isNew"));
        return seen;
    }

    static Object record(Object record) {
        Object key = Reflected.call(record, "key");
        if (Reflected.has(key, "message", 0)) key = Reflected.call(key, "message");
        Object value = Reflected.call(record, "value");
        List<Object> seen = new ArrayList<>();
        if (key.getClass().getSimpleName().startsWith("OffsetCommit")) {
            seen.add("commit");
            seen.add(Reflected.call(key, "topic"));
            return seen;
        }
        seen.add(value == null ? "forget" : "group");
        if (value == null) return seen;
        Object group = Reflected.call(value, "message");
        seen.add(Reflected.call(group, "generation"));
        seen.add(Reflected.call(group, "protocolType"));
        seen.add(Reflected.call(group, "protocol"));
        seen.add(Reflected.call(group, "leader"));
        Map<String, Object> members = new TreeMap<>();
        for (Object member : (Iterable<?>) Reflected.call(group, "members")) {
            List<Object> one = new ArrayList<>();
            one.add(Reflected.call(member, "groupInstanceId"));
            one.add(Reflected.call(member, "sessionTimeout"));
            one.add(Reflected.call(member, "rebalanceTimeout"));
            one.add(Texts.text((byte[]) Reflected.call(member, "subscription")));
            one.add(Texts.text((byte[]) Reflected.call(member, "assignment")));
            members.put((String) Reflected.call(member, "memberId"), one);
        }
        seen.add(members);
        return seen;
    }

    private static Object optional(Object value) {
        return ((Optional<?>) value).orElse(null);
    }
}
