package kassay;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.kafka.annotation.KafkaListener;

/** A member of a group whose settings stand in a file of properties. */
@SpringBootApplication
public class Member {
    public static void main(String[] arguments) {
        SpringApplication.run(Member.class, arguments);
    }

    @KafkaListener(topics = "${KASSAY_TOPICS}", groupId = "${KASSAY_GROUP}")
    void take(String record) {}
}
