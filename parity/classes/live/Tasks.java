package own;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.streams.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignor;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;

/** Task assignors of streams groups as users may write them (KIP-1357). */
public final class Tasks {
    /** Deals tasks to the members in turn, and keeps no standbys. */
    public static final class InTurn implements TaskAssignor {
        @Override
        public String name() {
            return "in turn";
        }

        @Override
        public GroupAssignment assign(GroupSpec group, TopologyDescriber topology) {
            List<String> members = new ArrayList<>(group.memberIds());
            Map<String, Map<String, Set<Integer>>> active = new HashMap<>();
            int at = 0;
            for (String member : members) active.put(member, new HashMap<>());
            for (String subtopology : topology.subtopologies()) {
                for (int n = 0; n < topology.maxNumInputPartitions(subtopology); n++) {
                    active.get(members.get(at++ % members.size()))
                        .computeIfAbsent(subtopology, unseen -> new TreeSet<>()).add(n);
                }
            }
            Map<String, MemberAssignment> answer = new HashMap<>();
            active.forEach((member, tasks) -> answer.put(member, new MemberAssignment(tasks, Map.of())));
            return new GroupAssignment(answer);
        }
    }

    /** Throws with all that it is told of the first member, for tests to read. */
    public static final class Tells implements TaskAssignor {
        @Override
        public String name() {
            return "tells";
        }

        @Override
        public GroupAssignment assign(GroupSpec group, TopologyDescriber topology) {
            String first = group.memberIds().iterator().next();
            var is = group.memberMetadata(first);
            var has = group.memberAssignmentState(first);
            throw new IllegalStateException(String.join(" ",
                String.valueOf(group.memberIds()), String.valueOf(group.configs().numStandbyReplicas()),
                String.valueOf(group.configs().rackAwareAssignmentTags()), is.processId(), String.valueOf(is.instanceId()),
                String.valueOf(is.rackId()), String.valueOf(is.clientTags()), String.valueOf(has.activeTasks()),
                String.valueOf(has.standbyTasks()), String.valueOf(has.warmupTasks()), String.valueOf(has.taskOffsets()),
                String.valueOf(has.taskEndOffsets()), String.valueOf(topology.isStateful("0"))));
        }
    }

    /** Gives null for a member. */
    public static final class Nulls implements TaskAssignor {
        @Override
        public String name() {
            return "nulls";
        }

        @Override
        public GroupAssignment assign(GroupSpec group, TopologyDescriber topology) {
            Map<String, MemberAssignment> answer = new HashMap<>();
            group.memberIds().forEach(member -> answer.put(member, null));
            return new GroupAssignment(answer);
        }
    }
}
