package kassay;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** An assignor class, whichever interface it implements, asked about one group with a fresh instance. */
interface Assignor {
    /** Returns what the class gives each member, null where it gives null; throws whatever the class throws. */
    Map<String, List<TopicPartition>> assign(Group group);
}
