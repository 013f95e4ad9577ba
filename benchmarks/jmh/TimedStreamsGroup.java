package kassay;

import java.lang.reflect.Constructor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Kafka's assignor of streams groups (4.4), handed what the coordinator hands it: records of Kafka's own, which answer at once. */
final class TimedStreamsGroup implements Timing.Timed {
    private static final String INTERFACE = "org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignor";

    private final Class<?> found;
    private final StreamsGroupAssignor assignor;
    private StreamsGroup group;
    private Object spec;

    TimedStreamsGroup(Class<?> found) throws ReflectiveOperationException {
        this.found = found;
        assignor = new StreamsGroupAssignor(found, Class.forName(INTERFACE));
    }

    @Override
    public void take(Map<?, ?> json) {
        group = new StreamsGroup(json);
        Constructor<?> ofMember = record("MemberMetadataAndStateImpl");
        Map<String, Object> members = new LinkedHashMap<>();
        group.members.forEach((id, member) -> members.put(id, Loading.make(
            ofMember, member.instance, member.rack, member.process, member.tags,
            member.active, member.standby, member.warmup, member.offsets, member.endOffsets)));
        Object configs = Loading.make(record("AssignmentConfigsImpl"), group.standbys, group.tags);
        spec = Loading.make(record("GroupSpecImpl"), members, configs);
    }

    @Override
    public Supplier<Object> ready() {
        return assignor.ready(group, assignor.fresh(), spec);
    }

    @Override
    public Object written(Object given) {
        return StreamsGroupAssignor.written(given);
    }

    private Constructor<?> record(String name) {
        try {
            return Class.forName(found.getPackageName() + "." + name).getConstructors()[0];
        } catch (ClassNotFoundException otherRelease) {
            throw new IllegalStateException(otherRelease);
        }
    }
}
