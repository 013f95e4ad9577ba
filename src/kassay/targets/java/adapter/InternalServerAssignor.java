package kassay;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.assignor.AssignmentMemberSpec;
import org.apache.kafka.coordinator.group.assignor.AssignmentSpec;
import org.apache.kafka.coordinator.group.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.assignor.SubscribedTopicDescriber;

/** An assignor of a group coordinator by the interface that came before the public one (3.6 and 3.7). */
final class InternalServerAssignor implements Assignor {
    private final Class<?> assignor;
    private PartitionAssignor kept;

    InternalServerAssignor(Class<?> assignor) {
        this.assignor = assignor;
    }

    @Override
    public String family() {
        return "broker";
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> json) {
        ServerGroup group = new ServerGroup(json);
        GroupAssignment given = (kept == null ? fresh() : kept).assign(spec(group), new Describer(group));
        return group.answer(given == null ? null : ServerGroup.partitions(given.members(), MemberAssignment::targetPartitions));
    }

    @Override
    public Assignor keeping() {
        InternalServerAssignor keeping = new InternalServerAssignor(assignor);
        keeping.kept = fresh();
        return keeping;
    }

    private PartitionAssignor fresh() {
        return (PartitionAssignor) Loading.fresh(assignor, Map.of());
    }

    private static AssignmentSpec spec(ServerGroup group) {
        Map<String, AssignmentMemberSpec> members = new LinkedHashMap<>();
        group.members.forEach((id, member) -> members.put(id, new AssignmentMemberSpec(
            Optional.ofNullable(member.instance), Optional.ofNullable(member.rack),
            group.subscribed.get(id), group.owned.get(id))));
        return new AssignmentSpec(members);
    }

    private static final class Describer implements SubscribedTopicDescriber {
        private final ServerGroup group;

        Describer(ServerGroup group) {
            this.group = group;
        }

        @Override
        public int numPartitions(Uuid topic) {
            return group.partitions(topic);
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return group.racks(topic, partition);
        }
    }
}
