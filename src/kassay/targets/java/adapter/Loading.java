package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.Configurable;

/** Finds an assignor class by its name and makes instances of it. */
final class Loading {
    /** The group that assignors are told they are in. */
    static final String GROUP = "kassay";

    private static final String INTERFACES = "org.apache.kafka.clients.consumer.";

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
            fresh(found, null);
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
        String why = whyNot(found);
        if (why != null) throw new RefusedException("class " + found.getName() + " " + why);
        return isA(found, "ConsumerPartitionAssignor") ? new PublicAssignor(found) : new InternalAssignor(found);
    }

    private static String whyNot(Class<?> found) {
        if (!isA(found, "ConsumerPartitionAssignor") && !isA(found, "internals.PartitionAssignor")) {
            return "is no assignor; name one that implements ConsumerPartitionAssignor";
        }
        if (Modifier.isAbstract(found.getModifiers())) return "is abstract; name one that is not";
        if (!Modifier.isPublic(found.getModifiers())) return "is not public, so no consumer could use it";
        try {
            found.getConstructor();
            return null;
        } catch (NoSuchMethodException none) {
            return "has no public constructor without parameters, so no consumer could use it";
        }
    }

    /** Tells whether a class implements an interface of Kafka that the release may not have. */
    private static boolean isA(Class<?> found, String name) {
        try {
            return Class.forName(INTERFACES + name, false, found.getClassLoader()).isAssignableFrom(found);
        } catch (ClassNotFoundException notInThisRelease) {
            return false;
        }
    }

    /** Makes an instance, configured as a consumer would where it asks for that: the group, and a member's rack. */
    static Object fresh(Class<?> assignor, Group.Member of) {
        Object instance;
        try {
            instance = make(assignor.getConstructor());
        } catch (NoSuchMethodException seenBefore) {
            throw new IllegalStateException(seenBefore);
        }
        if (instance instanceof Configurable) {
            Map<String, Object> configs = new HashMap<>();
            configs.put("group.id", GROUP);
            if (of != null && of.rack != null) configs.put("client.rack", of.rack);
            if (of != null && of.instance != null) configs.put("group.instance.id", of.instance);
            ((Configurable) instance).configure(configs);
        }
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
