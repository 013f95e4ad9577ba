package kassay;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * What Kafka's StickyAssignor sends of a member's past: its user data, version 1.
 *
 * <p>Written here rather than by the class, because that groups the topics in the order of a hash table; here the
 * claims stay in the order in which the group lists them. Releases that know only version 0 do not read the generation.
 */
final class PreviousAssignment {
    private PreviousAssignment() {}

    /** Encodes what a member claims; null for one without a past, as one that has just joined. */
    static ByteBuffer of(Group.Member member) {
        if (!member.hasHistory()) return null;
        List<List<TopicPartition>> runs = runs(member.owned);
        int size = 8;
        for (List<TopicPartition> run : runs) size += 6 + name(run).length + 4 * run.size();
        ByteBuffer data = ByteBuffer.allocate(size).putInt(runs.size());
        for (List<TopicPartition> run : runs) {
            byte[] name = name(run);
            data.putShort((short) name.length).put(name).putInt(run.size());
            for (TopicPartition partition : run) data.putInt(partition.partition());
        }
        data.putInt(member.generation).flip();
        return data;
    }

    private static byte[] name(List<TopicPartition> run) {
        return run.get(0).topic().getBytes(StandardCharsets.UTF_8);
    }

    /** Cuts the claims where the topic changes. */
    private static List<List<TopicPartition>> runs(List<TopicPartition> owned) {
        List<List<TopicPartition>> runs = new ArrayList<>();
        String topic = null;
        for (TopicPartition partition : owned) {
            if (!partition.topic().equals(topic)) runs.add(new ArrayList<>());
            runs.get(runs.size() - 1).add(partition);
            topic = partition.topic();
        }
        return runs;
    }
}
