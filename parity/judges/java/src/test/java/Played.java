import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import kassay.fixtures.Fixtures;
import kassay.fixtures.Judge;
import kassay.fixtures.TaskFixtures;
import org.junit.jupiter.api.DynamicTest;

/** Plays tapes of wrong assignors to the judges in Java, and prints what they say. */
public final class Played {
    private Played() {}

    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of(System.getenv("KASSAY_TAPES")))) {
            JsonNode tape = new ObjectMapper().readTree(line);
            tests(tape, tape.get("family").asText()).forEach(test -> {
                String mark = "PASS ";
                try {
                    test.getExecutable().execute();
                } catch (Throwable wrong) {
                    mark = "FAIL ";
                }
                System.out.println(mark + tape.get("name").asText() + "/" + test.getDisplayName());
            });
        }
        System.exit(0); // who never answers is asked still
    }

    private static Stream<DynamicTest> tests(JsonNode tape, String family) throws Exception {
        switch (family) {
            case "consumer": return Fixtures.run(target(tape, Played::printed, Played::partitions));
            case "broker": return Fixtures.runBroker(target(tape, Played::printed, Played::partitions));
            case "share": return Fixtures.runShare(target(tape, Played::printed, Played::partitions));
            case "streams": return TaskFixtures.run(target(tape, Played::printed, Played::tasks));
            case "streams-group": return TaskFixtures.runStreamsGroup(target(tape, Played::printed, Played::tasks));
            default: throw new IllegalArgumentException(family);
        }
    }

    private static <G, A> Judge.Target<G, A> target(JsonNode tape, Function<G, String> printed, Function<JsonNode, A> answer) {
        Deque<JsonNode> left = new ArrayDeque<>();
        tape.get("asked").forEach(left::add);
        return new Judge.Target<>(
                tape.get("name").asText(), group -> answer.apply(next(left, printed.apply(group))), tape.get("cooperative").booleanValue(),
                words(tape.get("aims")), words(tape.get("can")), words(tape.get("limits")), tape.get("exact").asText(), null);
    }

    /** Returns the answer to the next group that looks so; of what the judge does not ask about nothing is played. */
    private static JsonNode next(Deque<JsonNode> left, String wanted) throws Exception {
        if (left.stream().noneMatch(said -> said.get("print").asText().equals(wanted))) {
            throw new IllegalStateException("is asked about " + wanted + ", which is not on the tape");
        }
        JsonNode said = left.remove();
        while (!said.get("print").asText().equals(wanted)) said = left.remove();
        if (said.path("why").asText().equals("never")) Thread.sleep(60_000);
        if (said.has("why")) throw new IllegalStateException(said.get("why").asText());
        return said.get("answer");
    }

    private static Set<String> words(JsonNode list) {
        return new HashSet<>(texts(list));
    }

    private static List<String> texts(JsonNode list) {
        List<String> all = new ArrayList<>();
        list.forEach(word -> all.add(word.asText()));
        return all;
    }

    private static String printed(Fixtures.Group group) {
        List<String> parts = new ArrayList<>();
        group.topics().forEach(topic -> parts.add(topic.name() + " " + topic.partitions()));
        group.members().forEach(m -> parts.add(m.id() + " " + m.generation() + " " + m.owned().values().stream().mapToInt(List::size).sum()));
        return String.join("; ", parts);
    }

    private static String printed(TaskFixtures.Application application) {
        List<String> parts = new ArrayList<>(List.of(String.valueOf(application.tasks().size())));
        application.clients().forEach(each -> parts.add(each.id() + " " + each.active().size() + " " + each.standby().size()));
        return String.join("; ", parts);
    }

    private static String printed(TaskFixtures.StreamsGroup group) {
        List<String> parts = new ArrayList<>(List.of(String.valueOf(group.subtopologies().size())));
        group.members().forEach(each -> parts.add(each.id() + " " + each.active().size() + " " + each.standby().size()));
        return String.join("; ", parts);
    }

    private static Map<String, Map<String, List<Integer>>> partitions(JsonNode answer) {
        Map<String, Map<String, List<Integer>>> given = new TreeMap<>();
        answer.fields().forEachRemaining(member -> {
            Map<String, List<Integer>> topics = given.computeIfAbsent(member.getKey(), key -> new TreeMap<>());
            member.getValue().fields().forEachRemaining(topic -> topic.getValue()
                    .forEach(number -> topics.computeIfAbsent(topic.getKey(), key -> new ArrayList<>()).add(number.intValue())));
        });
        return given;
    }

    private static TaskFixtures.Answer tasks(JsonNode answer) {
        JsonNode members = answer.has("assignment") ? answer.get("assignment") : answer;
        Map<String, TaskFixtures.Given> given = new TreeMap<>();
        members.fields().forEachRemaining(each -> {
            JsonNode roles = each.getValue();
            given.put(each.getKey(), new TaskFixtures.Given(texts(roles.path("active")), texts(roles.path("standby")), texts(roles.path("warmup"))));
        });
        return new TaskFixtures.Answer(given, answer.path("probing").asBoolean());
    }
}
