package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Configurable;

/** Finds an assignor class by its name and makes instances of it. */
final class Loading {
    /** The group that assignors are told they are in. */
    static final String GROUP = "kassay";

    private static final String CONSUMER = "org.apache.kafka.clients.consumer.";
    private static final String STREAMS = "org.apache.kafka.streams.processor.";
    private static final String CONNECT = "org.apache.kafka.connect.runtime.distributed.";
    private static final String COORDINATOR = "org.apache.kafka.coordinator.group.";
    /** The interfaces of task assignors of streams groups: public since 4.4, internal before. */
    private static final List<String> STREAMS_GROUPS = List.of(
        COORDINATOR + "api.streams.assignor.TaskAssignor", COORDINATOR + "streams.assignor.TaskAssignor");
    /** The interfaces of task assignors that are Kafka's own; the first has been in its place since 3.8. */
    private static final List<String> INTERNAL_TASKS = List.of(
        STREAMS + "internals.assignment.LegacyTaskAssignor", STREAMS + "internals.assignment.TaskAssignor");

    /** Why a class cannot be judged, in words. */
    static final class RefusedException extends Exception {
        RefusedException(String why) {
            super(why);
        }
    }

    private Loading() {}

    /** Loads a class and makes one instance to see that it can be made. */
    static Assignor assignor(String name) throws RefusedException {
        try {
            Class<?> found = Class.forName(name);
            Assignor assignor = adapted(found);
            assignor.keeping();
            return assignor;
        } catch (ClassNotFoundException | NoClassDefFoundError missing) {
            boolean itself = missing.getMessage().replace('/', '.').equals(name);
            throw new RefusedException(itself
                ? "the jars hold no class " + name
                : "class " + name + " needs " + missing.getMessage().replace('/', '.') + ", which the jars do not hold");
        } catch (UnsupportedClassVersionError newer) {
            throw new RefusedException(
                "class " + name + " is made for a newer Java than " + System.getProperty("java.version")
                    + "; set JAVA_HOME to a newer one");
        } catch (LinkageError | ReflectiveOperationException | RuntimeException thrown) {
            throw new RefusedException("class " + name + " cannot be made: " + Thrown.text(thrown));
        }
    }

    private static Assignor adapted(Class<?> found) throws RefusedException, ReflectiveOperationException {
        if (isA(found, CONSUMER + "ConsumerPartitionAssignor")) return new PublicAssignor(usable(found, "consumer"));
        if (isA(found, CONSUMER + "internals.PartitionAssignor")) return new InternalAssignor(usable(found, "consumer"));
        if (isA(found, STREAMS + "assignment.TaskAssignor")) return new PublicTaskAssignor(usable(found, "application"), null);
        for (String name : INTERNAL_TASKS) {
            if (isA(found, name)) {
                return new InternalTaskAssignor(usable(found, "application"), Class.forName(name).getMethods()[0]);
            }
        }
        if (isA(found, COORDINATOR + "api.assignor.ConsumerGroupPartitionAssignor")) {
            return new ServerAssignor(usable(found, "broker"), "broker");
        }
        if (isA(found, COORDINATOR + "api.assignor.ShareGroupPartitionAssignor")) {
            return new ServerAssignor(usable(found, "broker"), "share");
        }
        for (String name : STREAMS_GROUPS) {
            if (isA(found, name)) return new StreamsGroupAssignor(usable(found, "broker"), Class.forName(name));
        }
        if (isA(found, COORDINATOR + "assignor.PartitionAssignor")) return new InternalServerAssignor(usable(found, "broker"));
        if (isA(found, CONNECT + "IncrementalCooperativeAssignor")) return new IncrementalWorkerAssignor(found, false);
        if (isA(found, CONNECT + "EagerAssignor")) return new EagerWorkerAssignor(found);
        throw new RefusedException("class " + found.getName() + " is no assignor; name one that implements"
            + " ConsumerPartitionAssignor, TaskAssignor of Kafka Streams, or ConsumerGroupPartitionAssignor,"
            + " ShareGroupPartitionAssignor or TaskAssignor of a broker");
    }

    /** Returns a class that a user of Kafka can make instances of, and refuses others. */
    private static Class<?> usable(Class<?> found, String user) throws RefusedException {
        String why = null;
        if (Modifier.isAbstract(found.getModifiers())) why = "is abstract; name one that is not";
        else if (!Modifier.isPublic(found.getModifiers())) why = "is not public, so no " + user + " could use it";
        else if (!hasPlainConstructor(found)) {
            why = "has no public constructor without parameters, so no " + user + " could use it";
        }
        if (why != null) throw new RefusedException("class " + found.getName() + " " + why);
        return found;
    }

    private static boolean hasPlainConstructor(Class<?> found) {
        try {
            found.getConstructor();
            return true;
        } catch (NoSuchMethodException none) {
            return false;
        }
    }

    /** Tells whether a class implements an interface of Kafka that the release may not have. */
    private static boolean isA(Class<?> found, String name) {
        try {
            return Class.forName(name, false, found.getClassLoader()).isAssignableFrom(found);
        } catch (ClassNotFoundException notInThisRelease) {
            return false;
        }
    }

    /** Makes an instance, configured as Kafka would where it asks for that. */
    static Object fresh(Class<?> assignor, Map<String, Object> configs) {
        return configured(instance(assignor), configs);
    }

    /** Makes an instance as it is. */
    static Object instance(Class<?> assignor) {
        try {
            return make(assignor.getConstructor());
        } catch (NoSuchMethodException seenBefore) {
            throw new IllegalStateException(seenBefore);
        }
    }

    /** Configures an instance where it asks for that. */
    static Object configured(Object instance, Map<String, Object> configs) {
        if (instance instanceof Configurable) ((Configurable) instance).configure(configs);
        return instance;
    }

    /** Calls a constructor and throws what it throws. */
    static <T> T make(Constructor<T> constructor, Object... values) {
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException thrown) {
            throw Thrown.again(thrown.getCause());
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
