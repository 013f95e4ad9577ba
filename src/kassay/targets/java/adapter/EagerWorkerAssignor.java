package kassay;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.connect.runtime.distributed.ConnectProtocol;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator;
import org.apache.kafka.connect.storage.ClusterConfigState;

/**
 * Connect's eager assignor, by its one public method, whose answers are bytes of the protocol.
 *
 * <p>It asks a coordinator for the configuration and tells it the outcome; this one is made without its constructor, which would connect.
 * The protocol is named by a string until 4.1, by a constant from 4.2 on.
 */
final class EagerWorkerAssignor implements Assignor {
    private final Class<?> assignor;
    private final Method perform;
    private final Object protocol;
    private Object kept;

    EagerWorkerAssignor(Class<?> assignor) throws ReflectiveOperationException {
        this.assignor = assignor;
        Method found = null;
        for (Method method : assignor.getMethods()) {
            if (method.getName().equals("performAssignment")) found = method;
        }
        perform = found;
        Class<?> named = perform.getParameterTypes()[1];
        protocol = named == String.class ? "default" : named.getField("EAGER").get(null);
        fresh();
    }

    @Override
    public String family() {
        return "connect";
    }

    @Override
    public Assignor keeping() {
        try {
            EagerWorkerAssignor keeping = new EagerWorkerAssignor(assignor);
            keeping.kept = keeping.fresh();
            return keeping;
        } catch (ReflectiveOperationException foundBefore) {
            throw new IllegalStateException(foundBefore);
        }
    }

    @Override
    public Map<String, Object> answer(Map<?, ?> json) {
        ConnectCluster cluster = new ConnectCluster(json);
        return written(cluster, ready(cluster, kept == null ? fresh() : kept).get());
    }

    /** Makes all that an instance is handed for a round; what comes back asks it. */
    Supplier<Object> ready(ConnectCluster cluster, Object asked) {
        List<JoinGroupResponseMember> members = new ArrayList<>();
        for (String id : cluster.workers.keySet()) {
            ByteBuffer bytes = ConnectProtocol.serializeMetadata(new ConnectProtocol.WorkerState("", 0));
            byte[] metadata = new byte[bytes.remaining()];
            bytes.get(metadata);
            members.add(new JoinGroupResponseMember().setMemberId(id).setMetadata(metadata));
        }
        WorkerCoordinator coordinator = coordinator(cluster.configured());
        return () -> performed(asked, members, coordinator);
    }

    /** Makes the JSON of what an instance gave, which is bytes. */
    static Map<String, Object> written(ConnectCluster cluster, Object given) {
        Map<String, Object> assignment = new LinkedHashMap<>();
        for (String id : cluster.workers.keySet()) {
            ConnectProtocol.Assignment of = ConnectProtocol.deserializeAssignment((ByteBuffer) ((Map<?, ?>) given).get(id));
            // in the order of the bytes they are by hash; they were given out in ascending order
            assignment.put(id, ConnectAnswer.sorted(of.connectors(), of.tasks()));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("assignment", assignment);
        return answer;
    }

    Object fresh() {
        try {
            return Loading.make(assignor.getConstructor(LogContext.class), new LogContext());
        } catch (NoSuchMethodException other) {
            throw new IllegalStateException("it has no constructor of a log context", other);
        }
    }

    private Object performed(Object asked, List<JoinGroupResponseMember> members, WorkerCoordinator coordinator) {
        try {
            return perform.invoke(asked, members.get(0).memberId(), protocol, members, coordinator);
        } catch (InvocationTargetException thrown) {
            throw Thrown.again(thrown.getCause());
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Makes a coordinator that knows the configuration and nothing else. */
    private static WorkerCoordinator coordinator(ClusterConfigState configured) {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field instance = unsafe.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Object made = unsafe.getMethod("allocateInstance", Class.class).invoke(instance.get(null), WorkerCoordinator.class);
            WorkerCoordinator coordinator = (WorkerCoordinator) made;
            coordinator.configSnapshot(configured);
            return coordinator;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
