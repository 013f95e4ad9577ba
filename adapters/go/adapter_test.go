package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// asks is what serve answers to some lines, and what it fails with.
func asks(t *testing.T, chosen []string, lines ...string) ([]map[string]any, error) {
	t.Helper()
	var out strings.Builder
	failed := serve(strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, chosen)
	var answers []map[string]any
	for line := range strings.Lines(out.String()) {
		var answer map[string]any
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers, failed
}

func TestOffersAllOrThoseThatAreNamed(t *testing.T) {
	for _, chosen := range [][]string{nil, {"sticky"}, {"range-racks", "sticky"}} {
		answers, err := asks(t, chosen, `{"kassay": 1}`)
		if err != nil {
			t.Fatal(err)
		}
		want := len(chosen)
		if want == 0 {
			want = len(balancers)
		}
		if offered := answers[0]["assignors"].([]any); len(offered) != want {
			t.Errorf("%v: offers %v", chosen, offered)
		}
	}
	answers, _ := asks(t, []string{"stikcy"}, `{"kassay": 1}`)
	if refused, _ := answers[0]["refused"].(string); !strings.Contains(refused, `"stikcy"`) || !strings.Contains(refused, "cooperative-sticky-racks") {
		t.Errorf("refuses with %q", refused)
	}
}

func TestAnswers(t *testing.T) {
	two := `"members": [{"id": "m1", "topics": ["t"], "rack": "a"}, {"id": "m0", "topics": ["t"], "rack": "b", "owned": [["t", 0]], "generation": 3}]`
	topics := `"topics": [{"name": "t", "partitions": 2, "racks": [["a", "b"], ["b", "a"]]}, {"name": "nobody's", "partitions": 9}]`
	asked := `"group": {"family": "consumer", ` + topics + `, ` + two + `}`
	for _, each := range []struct{ assignor, want string }{
		{"range", `{"m0":[["t",0]],"m1":[["t",1]]}`},
		{"range-racks", `{"m0":[["t",1]],"m1":[["t",0]]}`},
		{"roundrobin", `{"m0":[["t",0]],"m1":[["t",1]]}`},
		{"sticky", `{"m0":[["t",0]],"m1":[["t",1]]}`},
		{"sticky-racks", `{"m0":[["t",1]],"m1":[["t",0]]}`},
		{"cooperative-sticky", `{"m0":[["t",0]],"m1":[["t",1]]}`},
		{"cooperative-sticky-racks", `{"m0":[["t",1]],"m1":[]}`}, // m0 has yet to give t-0 up
	} {
		answers, err := asks(t, nil, `{"seq": 7, "assignor": "`+each.assignor+`", `+asked+`}`)
		if err != nil {
			t.Fatal(err)
		}
		if given, _ := json.Marshal(answers[0]["assignment"]); string(given) != each.want || answers[0]["seq"] != 7.0 {
			t.Errorf("%s: gives %s, not %s", each.assignor, given, each.want)
		}
	}
}

func TestUserDataThatTheGroupStatesAreSent(t *testing.T) {
	// StickyAssignor's, version 1: t-0 and t-1 of generation 1, which franz-go reads where a subscription has no owned partitions.
	claims := `"AAAAAQABdAAAAAIAAAAAAAAAAQAAAAE="`
	told := strings.NewReplacer("DATA", claims).Replace(`{"seq": 1, "assignor": "sticky", "group": {"topics": [{"name": "t", "partitions": 2}, {"name": "u", "partitions": 1}], "members": [{"id": "m0", "topics": ["t", "u"], "user_data": DATA}, {"id": "m1", "topics": ["t", "u"]}]}}`)
	silent := strings.Replace(told, `, "user_data": `+claims, "", 1)
	answers, err := asks(t, nil, told, silent)
	if err != nil {
		t.Fatal(err)
	}
	with, _ := json.Marshal(answers[0]["assignment"])
	without, _ := json.Marshal(answers[1]["assignment"])
	if string(with) != `{"m0":[["t",0],["t",1]],"m1":[["u",0]]}` || string(with) == string(without) {
		t.Errorf("gives %s, and without user data %s", with, without)
	}
}

func TestWhatCannotBeAnsweredIsAnErrorAndTheNextOneIsAnswered(t *testing.T) {
	good := `{"seq": 2, "assignor": "range", "group": {"topics": [{"name": "t", "partitions": 1}], "members": [{"id": "m", "topics": ["t"]}]}}`
	// No group has a negative number of partitions, and franz-go panics at it.
	bad := strings.Replace(strings.Replace(good, `"partitions": 1`, `"partitions": -1`, 1), `"seq": 2`, `"seq": 1`, 1)
	answers, err := asks(t, nil, bad, `{"seq": 3, "assignor": "nobody"}`, good)
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := answers[0]["error"].(string); !strings.HasPrefix(said, "panic: ") {
		t.Errorf("says %q", said)
	}
	if stack, _ := answers[0]["stack"].(string); !strings.Contains(stack, "rangeBalancer") {
		t.Errorf("has the stack %q", stack)
	}
	if said := answers[1]["error"]; said != `there is no balancer "nobody"` {
		t.Errorf("says %q", said)
	}
	if given, _ := json.Marshal(answers[2]["assignment"]); string(given) != `{"m":[["t",0]]}` {
		t.Errorf("gives %s", given)
	}
}

func TestALineThatIsNoRequestEndsIt(t *testing.T) {
	for _, line := range []string{"{", `{"seq": 1, "group": {"members": [{"owned": [["t"]]}]}}`} {
		if _, err := asks(t, nil, line); err == nil || !strings.Contains(err.Error(), "line 1: is no request") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestAFieldThatFranzGoLacksIsNamed(t *testing.T) {
	if err := set(new(kgo.ConsumerBalancer), "nowhere", true); err == nil || !strings.Contains(err.Error(), "no field nowhere") {
		t.Error(err)
	}
}
