package kassay;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** An assignor of partitions to consumers. */
interface ConsumerAssignor extends Assignor {
    /** Returns what the class gives each member, null where it gives null; throws whatever the class throws. */
    Map<String, List<TopicPartition>> assign(Group group);

    @Override
    default String family() {
        return "consumer";
    }

    @Override
    default Map<String, Object> answer(Map<?, ?> group) {
        Map<String, List<TopicPartition>> given = assign(new Group(group));
        String wrong = Given.wrong(given);
        return wrong == null ? Map.of("assignment", Given.json(given)) : Map.of("error", Given.NO_ASSIGNMENT + wrong);
    }
}
