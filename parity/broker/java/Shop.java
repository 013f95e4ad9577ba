package kassay;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TaskMetadata;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/**
 * Two applications of Kafka Streams, shop and audit: {@code java -cp JARS kassay.Shop BROKERS FOLDER PROTOCOL}, which is classic or
 * streams; then their names begin with it (KIP-1071). Ends when standard input does.
 *
 * <p>Counts orders by value, joins payments with a table of users, and reads clicks. Once all have settled, prints a line
 * {@code CLIENT-ID TASK PARTITION,PARTITION...} for each active task, and {@code settled}.
 */
public final class Shop {
    private static final List<String> TOPICS = List.of("shop.orders", "shop.users", "shop.payments", "shop.clicks");

    private Shop() {}

    public static void main(String[] args) throws Exception {
        produce(args[0]);
        String prefix = args[2].equals("classic") ? "" : args[2] + "-";
        List<KafkaStreams> all = List.of(
            start(args, prefix + "shop", 2, null),
            start(args, prefix + "shop", 1, null),
            start(args, prefix + "audit", 2, prefix + "audit-east"));
        String before = "";
        for (String now = active(all); !settled(all) || !now.equals(before); now = active(all)) {
            before = now;
            Thread.sleep(Duration.ofSeconds(5).toMillis());
        }
        System.out.print(before);
        System.out.println("settled");
        while (System.in.read() >= 0) continue;
        Runtime.getRuntime().halt(0);
    }

    private static void produce(String brokers) {
        Properties config = new Properties();
        config.put("bootstrap.servers", brokers);
        config.put("key.serializer", StringSerializer.class);
        config.put("value.serializer", StringSerializer.class);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(config)) {
            for (int n = 0; n < 200; n++) {
                for (String topic : TOPICS) producer.send(new ProducerRecord<>(topic, "k" + n, "v" + n % 50));
            }
        }
    }

    private static KafkaStreams start(String[] args, String application, int threads, String client) {
        Properties config = new Properties();
        config.put("bootstrap.servers", args[0]);
        config.put("application.id", application);
        config.put("group.protocol", args[2]);
        config.put("num.stream.threads", threads);
        config.put("state.dir", args[1] + "/" + System.nanoTime());
        config.put("auto.offset.reset", "earliest");
        config.put("commit.interval.ms", 200);
        config.put("default.key.serde", Serdes.String().getClass());
        config.put("default.value.serde", Serdes.String().getClass());
        config.put("default.dsl.store", "in_memory");
        config.put("replication.factor", 1);
        if (client != null) config.put("client.id", client);
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("shop.orders").groupBy((key, value) -> value)
            .count(Materialized.as(Stores.inMemoryKeyValueStore("counts")));
        KTable<String, String> users = builder.table("shop.users");
        builder.<String, String>stream("shop.payments").join(users, String::concat).foreach((key, value) -> {});
        builder.<String, String>stream("shop.clicks").foreach((key, value) -> {});
        KafkaStreams streams = new KafkaStreams(builder.build(), config);
        streams.start();
        return streams;
    }

    private static boolean settled(List<KafkaStreams> all) {
        return all.stream().allMatch(streams -> streams.state() == KafkaStreams.State.RUNNING);
    }

    private static String active(List<KafkaStreams> all) {
        StringBuilder text = new StringBuilder();
        for (KafkaStreams streams : all) {
            for (ThreadMetadata thread : streams.metadataForLocalThreads()) {
                for (TaskMetadata task : thread.activeTasks()) {
                    TreeSet<String> read = new TreeSet<>();
                    task.topicPartitions().forEach(partition -> read.add(partition.toString()));
                    text.append(thread.consumerClientId()).append(' ').append(task.taskId()).append(' ');
                    text.append(String.join(",", read)).append('\n');
                }
            }
        }
        return text.toString();
    }
}
