package broken;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Assignors that give everything to the first member, and go wrong in one way each where there are two members. */
public class Broken {
    public abstract static class Everything implements ConsumerPartitionAssignor {
        @Override
        public String name() {
            return "everything";
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
            Map<String, Assignment> given = new HashMap<>();
            List<TopicPartition> all = new ArrayList<>();
            for (String topic : cluster.topics()) {
                for (PartitionInfo partition : cluster.partitionsForTopic(topic)) {
                    all.add(new TopicPartition(topic, partition.partition()));
                }
            }
            for (String member : subscriptions.groupSubscription().keySet()) {
                given.put(member, new Assignment(given.isEmpty() ? all : Collections.emptyList()));
            }
            if (given.size() > 1) break_(given, subscriptions.groupSubscription());
            return new GroupAssignment(given);
        }

        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {}
    }

    public static class Well extends Everything {}

    public static class Throws extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            throw new IllegalStateException("two are \"too\" many", new RuntimeException("one is plenty"));
        }
    }

    public static class Recurses extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            break_(given, subscriptions);
        }
    }

    public static class Hangs extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            while (!given.isEmpty()) Thread.yield();
        }
    }

    public static class Exits extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            System.exit(7);
        }
    }

    public static class Crashes extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            try {
                Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
                field.setAccessible(true);
                Object unsafe = field.get(null);
                unsafe.getClass().getMethod("putLong", long.class, long.class).invoke(unsafe, 1L, 1L);
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    public static class Circular extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            RuntimeException one = new RuntimeException("one");
            throw new RuntimeException("two", one.initCause(new RuntimeException("three", one)));
        }
    }

    public static class Hoards extends Everything {
        static final List<long[]> HOARD = new ArrayList<>();

        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            while (true) HOARD.add(new long[1 << 24]);
        }
    }

    public static class Babbles extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            System.out.println("not for you");
        }
    }

    public static class LeavesThreads extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            new Thread(() -> {
                while (true) Thread.yield();
            }).start();
        }
    }

    public static class GivesNull extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            given.replaceAll((member, assignment) -> null);
        }
    }

    public static class GivesNoTopic extends Everything {
        @Override
        void break_(Map<String, Assignment> given, Map<String, Subscription> subscriptions) {
            given.replaceAll((member, a) -> new Assignment(Collections.singletonList(new TopicPartition(null, 0))));
        }
    }

    public static class ReturnsNull extends Everything {
        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
            return null;
        }
    }

    /** Tells what members sent, as topics with a partition: the length of the user data, and the topics it was made for. */
    public static class Remembers implements ConsumerPartitionAssignor, Configurable {
        private String rack = "nowhere";
        private int given = -1;
        private int generation = -1;

        @Override
        public String name() {
            return "remembers";
        }

        @Override
        public void configure(Map<String, ?> configs) {
            rack = configs.get("group.id") + " in " + configs.get("client.rack");
        }

        @Override
        public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
            given = assignment.partitions().size();
            generation = metadata.generationId();
        }

        @Override
        public ByteBuffer subscriptionUserData(Set<String> topics) {
            return ByteBuffer.wrap((rack + " had " + given + " at " + generation + " wants " + topics).getBytes());
        }

        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
            Map<String, Assignment> told = new HashMap<>();
            subscriptions.groupSubscription().forEach((member, subscription) -> {
                String said = new String(subscription.userData().array());
                told.put(member, new Assignment(Collections.singletonList(new TopicPartition(said, 0))));
            });
            return new GroupAssignment(told);
        }
    }

    abstract static class NotPublic extends Everything {}

    static class Hidden extends Everything {}

    public static class WantsMore extends Everything {
        public WantsMore(String more) {}
    }

    public static class CannotBeMade extends Everything {
        public CannotBeMade() {
            throw new IllegalArgumentException("not today");
        }
    }

    public static class NoAssignor {}
}
