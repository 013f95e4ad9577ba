package kassay;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** An assignor class, whichever interface it implements, asked about each group with a fresh instance. */
interface Assignor {
    /** Returns what the class gives each member, null where it gives null; throws whatever the class throws. */
    Map<String, List<TopicPartition>> assign(Group group);

    /** Returns one that asks the same instance about all its groups, as the leader that a consumer may be for long. */
    Assignor keeping();
}
