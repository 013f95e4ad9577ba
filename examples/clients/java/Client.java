// Kafka's own consumer; the class of its strategy is its argument.
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class Client {
    public static void main(String[] arguments) {
        Map<String, Object> config = Map.of(
            "bootstrap.servers", System.getenv("KASSAY_BOOTSTRAP"),
            "group.id", System.getenv("KASSAY_GROUP"),
            "partition.assignment.strategy", "org.apache.kafka.clients.consumer." + arguments[0],
            "retry.backoff.ms", 1,
            "key.deserializer", ByteArrayDeserializer.class,
            "value.deserializer", ByteArrayDeserializer.class);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config)) {
            consumer.subscribe(List.of(System.getenv("KASSAY_TOPICS").split(",")));
            while (true) {
                try {
                    consumer.poll(Duration.ofSeconds(1));
                } catch (IllegalStateException failed) { // of its assignor: it joins again
                    System.out.println(failed);
                }
            }
        }
    }
}
