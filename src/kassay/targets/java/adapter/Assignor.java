package kassay;

import java.util.Map;

/** An assignor class, whichever interface it implements, asked about each group with a fresh instance unless one is kept. */
interface Assignor {
    /** Names the family of the groups that it answers. */
    String family();

    /** Answers the JSON of a group: an assignment with what belongs beside it, or an error; throws whatever the class throws. */
    Map<String, Object> answer(Map<?, ?> group);

    /** Returns one that asks the same instance about all its groups, as the leader that a consumer may be for long. */
    Assignor keeping();

    /** Tells whether Kafka keeps an instance from one rebalance to the next; Kafka Streams makes a new one each time. */
    default boolean isKept() {
        return true;
    }
}
