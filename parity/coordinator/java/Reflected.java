package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Calls by name and number of arguments, so that one source serves all releases, whose packages and parameters differ. */
final class Reflected {
    private static final Map<String, Method> METHODS = new ConcurrentHashMap<>();

    private Reflected() {}

    /** Calls a method, or rethrows what it throws. */
    static Object call(Object target, String name, Object... arguments) {
        Class<?> type = target instanceof Class ? (Class<?>) target : target.getClass();
        Method method = METHODS.computeIfAbsent(
                type.getName() + ' ' + name + ' ' + arguments.length, key -> method(type, name, arguments.length));
        try {
            return method.invoke(target instanceof Class ? null : target, arguments);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException) throw (RuntimeException) thrown.getCause();
            throw new IllegalStateException(thrown.getCause());
        } catch (IllegalAccessException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private static Method method(Class<?> type, String name, int count) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == count && !method.isBridge()) {
                    method.setAccessible(true);
                    return method;
                }
            }
        }
        throw new IllegalArgumentException(type + " has no " + name + " of " + count);
    }

    static boolean has(Object target, String name, int count) {
        for (Method method : target.getClass().getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == count) return true;
        }
        return false;
    }

    static Object field(Object target, String name) {
        Class<?> type = target instanceof Class ? (Class<?>) target : target.getClass();
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(target instanceof Class ? null : target);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    /** Makes an object by the constructor of so many arguments. */
    static Object make(Class<?> type, Object... arguments) {
        try {
            for (Constructor<?> constructor : type.getConstructors()) {
                if (constructor.getParameterCount() == arguments.length) return constructor.newInstance(arguments);
            }
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
        throw new IllegalArgumentException(type + " is made of something else than " + arguments.length);
    }

    /** Finds a class under the first of the names that a release has. */
    static Class<?> type(String... names) {
        for (String name : names) {
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException absent) {
                continue;
            }
        }
        throw new IllegalArgumentException("none of " + String.join(", ", names));
    }
}
