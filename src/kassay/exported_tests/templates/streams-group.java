import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.api.streams.assignor.AssignmentConfigs;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.streams.assignor.MemberAssignmentMetadata;
import org.apache.kafka.coordinator.group.api.streams.assignor.MemberAssignmentState;
import org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignor;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;

class @NAME@ {
    record Subtopology(String id, int partitions, boolean stateful) {}

    record Member(
        String id, String process, String instance, String rack, Map<String, String> tags, List<String> active,
        List<String> standby, List<String> warmup, Map<String, Long> offsets, Map<String, Long> endOffsets) {}

    record Metadata(Optional<String> instanceId, Optional<String> rackId, String processId, Map<String, String> clientTags)
        implements MemberAssignmentMetadata {}

    record State(
        Map<String, Set<Integer>> activeTasks, Map<String, Set<Integer>> standbyTasks, Map<String, Set<Integer>> warmupTasks,
        Map<String, Map<Integer, Long>> taskOffsets, Map<String, Map<Integer, Long>> taskEndOffsets)
        implements MemberAssignmentState {}

    record Configs(int numStandbyReplicas, List<String> rackAwareAssignmentTags) implements AssignmentConfigs {}

    private final TaskAssignor assignor = new @ASSIGNOR@();

    @Test
    void @METHOD@() {
@BODY@
    }

    /** Returns the tasks of each member by role. */
    private Map<String, List<String>> assign(Configs settings, List<Subtopology> topology, List<Member> members) {
        Map<String, Subtopology> subtopologies = new LinkedHashMap<>();
        for (Subtopology each : topology) subtopologies.put(each.id(), each);
        Map<String, Member> known = new LinkedHashMap<>();
        for (Member each : members) known.put(each.id(), each);
        GroupSpec group = new GroupSpec() {
            @Override
            public Collection<String> memberIds() {
                return known.keySet();
            }

            @Override
            public MemberAssignmentMetadata memberMetadata(String id) {
                Member member = known.get(id);
                return new Metadata(
                    Optional.ofNullable(member.instance()), Optional.ofNullable(member.rack()), member.process(), member.tags());
            }

            @Override
            public MemberAssignmentState memberAssignmentState(String id) {
                Member member = known.get(id);
                return new State(
                    tasks(member.active()), tasks(member.standby()), tasks(member.warmup()), sums(member.offsets()), sums(member.endOffsets()));
            }

            @Override
            public AssignmentConfigs configs() {
                return settings;
            }
        };
        TopologyDescriber describer = new TopologyDescriber() {
            @Override
            public List<String> subtopologies() {
                return List.copyOf(subtopologies.keySet());
            }

            @Override
            public int maxNumInputPartitions(String id) throws NoSuchElementException {
                return subtopologies.get(id).partitions();
            }

            @Override
            public boolean isStateful(String id) {
                return subtopologies.get(id).stateful();
            }
        };
        Map<String, List<String>> answer = new LinkedHashMap<>();
        assignor.assign(group, describer).members().forEach((member, given) -> {
            answer.put(member + " active", names(given.activeTasks()));
            answer.put(member + " standby", names(given.standbyTasks()));
        });
        return answer;
    }

    private static Map<String, Set<Integer>> tasks(List<String> names) {
        Map<String, Set<Integer>> tasks = new LinkedHashMap<>();
        for (String name : names) {
            int at = name.lastIndexOf('_');
            tasks.computeIfAbsent(name.substring(0, at), unseen -> new LinkedHashSet<>()).add(Integer.valueOf(name.substring(at + 1)));
        }
        return tasks;
    }

    private static Map<String, Map<Integer, Long>> sums(Map<String, Long> offsets) {
        Map<String, Map<Integer, Long>> sums = new LinkedHashMap<>();
        offsets.forEach((name, offset) -> {
            int at = name.lastIndexOf('_');
            sums.computeIfAbsent(name.substring(0, at), unseen -> new LinkedHashMap<>()).put(Integer.valueOf(name.substring(at + 1)), offset);
        });
        return sums;
    }

    private static List<String> names(Map<String, Set<Integer>> tasks) {
        List<String> names = new ArrayList<>();
        tasks.forEach((id, numbers) -> new TreeSet<>(numbers).forEach(number -> names.add(id + "_" + number)));
        return names;
    }
@HELPERS@}
