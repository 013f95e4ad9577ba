/* Play tapes of wrong assignors to the judge in C. */
#include "kassay_fixtures.h"

typedef struct {
    const kf_json *asked;
    int at;
} tape;

static char *printed(const kf_group *group) {
    char *text = kf_copy("");
    int i;
    for (i = 0; i < group->topic_count; i++)
        text = kf_text("%s%s%s %d", text, i ? "; " : "", group->topics[i].name, group->topics[i].partitions);
    for (i = 0; i < group->member_count; i++) {
        const kf_member *member = &group->members[i];
        text = kf_text("%s%s%s %d %d", text, *text ? "; " : "", member->id, member->generation, member->owned_count);
    }
    return text;
}

/* Answers as a tape does, in its order; of what the judge does not ask about it plays nothing. */
static void playing(const kf_group *group, kf_answer *answer, void *context) {
    tape *played = context;
    const char *wanted = printed(group);
    int i;
    for (i = played->at; i < played->asked->count; i++) {
        const kf_json *said = &played->asked->items[i], *why = kf_field("tape", said, "why", "s?");
        if (strcmp(kf_text_of("tape", said, "print"), wanted)) continue;
        played->at = i + 1;
        if (why)
            kf_fail(answer, why->text);
        else
            *answer = kf_read_answer("tape", kf_field("tape", said, "answer", "o"));
        return;
    }
    kf_fail(answer, kf_text("is asked about %s, which is not on the tape", wanted));
}

static const char *words(const kf_json *of, const char *name) {
    kf_names all = kf_names_of("tape", kf_field("tape", of, name, "l"), "s");
    char *text = kf_copy("");
    int i;
    for (i = 0; i < all.count; i++) text = kf_text("%s %s", text, all.at[i]);
    return text;
}

int main(int count, char **arguments) {
    kf_target targets[100];
    tape tapes[100];
    kf_source source;
    int tape_count = 0;
    if (count != 2) return 2;
    source.file = getenv("KASSAY_TAPES");
    source.start = source.at = kf_read_text(source.file);
    for (kf_space(&source); *source.at && tape_count < 100; kf_space(&source)) {
        kf_json *data = kf_new(sizeof *data);
        kf_target *target = &targets[tape_count];
        tape *played = &tapes[tape_count++];
        *data = kf_value(&source, 0);
        memset(target, 0, sizeof *target);
        target->name = kf_text_of("tape", data, "name");
        target->ask = playing;
        target->context = played;
        target->aims = words(data, "aims");
        target->can = words(data, "can");
        target->limits = words(data, "limits");
        target->exact = kf_text_of("tape", data, "exact");
        target->cooperative = kf_field("tape", data, "cooperative", "b")->number != 0;
        played->asked = kf_field("tape", data, "asked", "l");
        played->at = 0;
    }
    return kf_run(arguments[1], targets, tape_count);
}
