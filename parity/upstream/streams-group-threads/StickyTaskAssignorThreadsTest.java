package org.apache.kafka.coordinator.group.streams.assignor;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

public class StickyTaskAssignorThreadsTest {

    @Test
    public void testProcessWithTwoMembersGetsTheFifthTask() {
        Map<String, AssignmentMemberSpec> members = new LinkedHashMap<>();
        members.put("m0", member("p0"));
        members.put("m1", member("p1"));
        members.put("m2", member("p1"));
        members.put("m3", member("p2"));

        GroupAssignment assignment = new StickyTaskAssignor().assign(new GroupSpecImpl(members, Map.of()), new FiveTasks());

        Map<String, Integer> tasks = new HashMap<>();
        assignment.members().forEach((memberId, member) ->
            tasks.merge(members.get(memberId).processId(), member.activeTasks().getOrDefault("0", Set.of()).size(), Integer::sum));
        assertEquals(Map.of("p0", 1, "p1", 3, "p2", 1), tasks);
    }

    private static AssignmentMemberSpec member(String processId) {
        return new AssignmentMemberSpec(
            Optional.empty(), Optional.empty(), Map.of(), Map.of(), Map.of(), processId, Map.of(), Map.of(), Map.of());
    }

    private static class FiveTasks implements TopologyDescriber {
        @Override
        public List<String> subtopologies() {
            return List.of("0");
        }

        @Override
        public int maxNumInputPartitions(String subtopologyId) {
            return 5;
        }

        @Override
        public boolean isStateful(String subtopologyId) {
            return false;
        }
    }
}
