package broken;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.LegacyTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

/** Task assignors that deal tasks out in turn, without standbys, and go wrong in one way each. */
public class BrokenStreams {
    public abstract static class Everything implements TaskAssignor {
        @Override
        public TaskAssignment assign(ApplicationState application) {
            List<TaskId> tasks = new ArrayList<>(new TreeSet<>(application.allTasks().keySet()));
            List<ProcessId> clients = new ArrayList<>(new TreeSet<>(application.kafkaStreamsStates(false).keySet()));
            List<KafkaStreamsAssignment> given = new ArrayList<>();
            for (int n = 0; n < clients.size(); n++) {
                Set<AssignedTask> own = new HashSet<>();
                for (int at = n; at < tasks.size(); at += clients.size()) {
                    own.add(new AssignedTask(tasks.get(at), AssignedTask.Type.ACTIVE));
                }
                given.add(KafkaStreamsAssignment.of(clients.get(n), own));
            }
            return new TaskAssignment(changed(given, application));
        }

        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            return given;
        }
    }

    public static class Well extends Everything {}

    public static class LosesTask extends Everything {
        @Override
        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            KafkaStreamsAssignment first = given.get(0);
            if (first.tasks().size() > 1) first.removeTask(first.tasks().get(new TreeSet<>(first.tasks().keySet()).first()));
            return given;
        }
    }

    /** Kafka takes what stands last for a client. */
    public static class TwiceAClient extends Everything {
        @Override
        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            given.add(KafkaStreamsAssignment.of(given.get(0).processId(), Collections.emptySet()));
            return given;
        }
    }

    public static class FollowsUp extends Everything {
        @Override
        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            given.set(0, given.get(0).withFollowupRebalance(Instant.EPOCH));
            return given;
        }
    }

    public static class Throws extends Everything {
        @Override
        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            throw new IllegalStateException("no tasks today");
        }
    }

    public static class ReturnsNull extends Everything {
        @Override
        public TaskAssignment assign(ApplicationState application) {
            return null;
        }
    }

    public static class GivesNull extends Everything {
        @Override
        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            return Collections.singletonList(null);
        }
    }

    /** Says all it is shown, and throws it. */
    public static class Tells extends Everything {
        private Map<String, ?> configs;

        @Override
        public void configure(Map<String, ?> configs) {
            this.configs = configs;
        }

        @Override
        public TaskAssignment assign(ApplicationState application) {
            StringBuilder told = new StringBuilder();
            application.allTasks().values().forEach(task -> {
                told.append(task.id()).append(task.isStateful() ? " stateful" : "");
                task.topicPartitions().stream().sorted((a, b) -> a.topicPartition().topic().compareTo(b.topicPartition().topic())).forEach(read ->
                    told.append(' ').append(read.topicPartition()).append(read.isSource() ? " source" : "")
                        .append(read.isChangelog() ? " changelog" : "").append(" in ").append(read.rackIds().map(TreeSet::new)));
                told.append("; ");
            });
            application.kafkaStreamsStates(true).values().forEach(client -> told
                .append(client.numProcessingThreads()).append(" threads ").append(client.clientTags())
                .append(client.rackId()).append(client.previousActiveTasks()).append(client.previousStandbyTasks())
                .append(client.statefulTasksToLagSums()).append(client.consumerClientIds()).append("; "));
            AssignmentConfigs settings = application.assignmentConfigs();
            told.append(settings.numStandbyReplicas()).append(settings.rackAwareTrafficCost()).append(settings.rackAwareAssignmentStrategy());
            told.append("; ").append(configs.get("application.id")).append(' ').append(configs.get("num.standby.replicas"))
                .append(' ').append(configs.get("client.tag.zone"));
            throw new UnsupportedOperationException(told.toString());
        }
    }

    /** Gives nothing in any assignment but the first it makes. */
    public static class TiresOut extends Everything {
        private boolean tired;

        @Override
        List<KafkaStreamsAssignment> changed(List<KafkaStreamsAssignment> given, ApplicationState application) {
            if (tired) given.clear();
            tired = true;
            return given;
        }
    }

    /** Puts a standby beside each active task, on the same client. */
    public static class BesideActive implements LegacyTaskAssignor {
        @Override
        public boolean assign(
                Map<ProcessId, ClientState> clients, Set<TaskId> all, Set<TaskId> stateful, RackAwareTaskAssignor racks,
                AssignmentConfigs configs) {
            ClientState only = clients.values().iterator().next();
            only.assignActiveTasks(all);
            only.assignStandbyTasks(stateful);
            return true;
        }
    }

    static class Hidden extends Everything {}

    public static class WantsMore extends Everything {
        public WantsMore(String more) {}
    }

    public static class CannotBeMade extends Everything {
        public CannotBeMade() {
            throw new IllegalArgumentException("not today");
        }
    }

    public static class WantsAnotherSetting extends Everything {
        @Override
        public void configure(Map<String, ?> configs) {
            if (configs.get("my.own") == null) throw new IllegalArgumentException("my.own is not set");
        }
    }
}
