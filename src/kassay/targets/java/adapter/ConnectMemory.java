package kassay;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator.ConnectorsAndTasks;

/**
 * What an incremental assignor remembers between rounds: all fields of it that change, put into a fresh instance and read again.
 *
 * <p>revokedInPrevious and numSuccessiveRevokingRebalances came with 3.4, canRevoke went with it; a release without a field answers
 * what it was told.
 */
final class ConnectMemory {
    private final Object assignor;

    ConnectMemory(Object assignor) {
        this.assignor = assignor;
    }

    /** Makes a fresh instance remember what the JSON tells. */
    @SuppressWarnings("unchecked")
    void restore(Map<?, ?> memory) {
        set("previousAssignment", ConnectCluster.work(ConnectCluster.map(memory, "assignment")));
        set("previousRevocation", ConnectCluster.work(ConnectCluster.map(memory, "revocation")));
        set("previousGenerationId", (int) ConnectCluster.number(memory, "generation", -1));
        Set<String> members = new LinkedHashSet<>();
        for (Object member : ConnectCluster.list(memory, "members")) members.add((String) member);
        set("previousMembers", members);
        for (Object candidate : ConnectCluster.list(memory, "candidates")) {
            ((Set<String>) get("candidateWorkersForReassignment")).add((String) candidate);
        }
        set("scheduledRebalance", ConnectCluster.number(memory, "scheduled_rebalance_ms", 0));
        set("delay", (int) ConnectCluster.number(memory, "delay_ms", 0));
        if (has("revokedInPrevious")) set("revokedInPrevious", ConnectCluster.truth(memory, "revoked", false));
        if (has("numSuccessiveRevokingRebalances")) {
            set("numSuccessiveRevokingRebalances", (int) ConnectCluster.number(memory, "revoking_rounds", 0));
        }
        if (has("canRevoke")) set("canRevoke", ConnectCluster.truth(memory, "may_revoke", true));
    }

    int delay() {
        return (int) get("delay");
    }

    /** Makes the JSON of what an instance remembers; members are those of the round, in the listed order. */
    Map<String, Object> json(Set<String> members, Map<?, ?> told) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("generation", get("previousGenerationId"));
        List<String> listed = new ArrayList<>(members);
        if (!members.equals(get("previousMembers"))) throw new IllegalStateException("it remembers other workers than there were");
        json.put("members", listed);
        ConnectorsAndTasks assignment = (ConnectorsAndTasks) get("previousAssignment");
        ConnectorsAndTasks revocation = (ConnectorsAndTasks) get("previousRevocation");
        json.put("assignment", ConnectAnswer.sorted(assignment.connectors(), assignment.tasks()));
        json.put("revocation", ConnectAnswer.sorted(revocation.connectors(), revocation.tasks()));
        json.put("candidates", new ArrayList<>((Set<?>) get("candidateWorkersForReassignment")));
        json.put("scheduled_rebalance_ms", get("scheduledRebalance"));
        json.put("delay_ms", get("delay"));
        json.put("revoked", has("revokedInPrevious") ? get("revokedInPrevious") : ConnectCluster.truth(told, "revoked", false));
        json.put("revoking_rounds", has("numSuccessiveRevokingRebalances")
            ? get("numSuccessiveRevokingRebalances") : ConnectCluster.number(told, "revoking_rounds", 0));
        json.put("may_revoke", has("canRevoke") ? get("canRevoke") : ConnectCluster.truth(told, "may_revoke", true));
        return json;
    }

    private boolean has(String name) {
        try {
            assignor.getClass().getDeclaredField(name);
            return true;
        } catch (NoSuchFieldException notInThisRelease) {
            return false;
        }
    }

    private Field field(String name) throws NoSuchFieldException {
        Field field = assignor.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private Object get(String name) {
        try {
            return field(name).get(assignor);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException("its field " + name + " cannot be read", missing);
        }
    }

    private void set(String name, Object value) {
        try {
            field(name).set(assignor, value);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException("its field " + name + " cannot be set", missing);
        }
    }
}
