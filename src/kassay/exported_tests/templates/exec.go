package assignor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

var command = @COMMAND@

func Test@NAME@(t *testing.T) {
@BODY@
}

// assign asks one process of the program about groups, in kassay's adapter protocol, and returns its answer to the last group.
func assign(groups ...string) (map[string][]string, error) {
	lines := []string{`{"kassay": 1}`}
	for at, group := range groups {
		lines = append(lines, fmt.Sprintf(`{"seq": %d, "assignor": %s, "group": %s}`, at+1, @ASSIGNOR@, group))
	}
	limit, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	program := exec.CommandContext(limit, command[0], command[1:]...)
	program.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	output, err := program.Output()
	if err != nil {
		return nil, err
	}
	answers := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	var last struct {
		Error      string
		Probing    bool
		Assignment map[string]json.RawMessage
		Revoked    map[string]json.RawMessage
	}
	if err := json.Unmarshal(answers[len(answers)-1], &last); err != nil {
		return nil, err
	}
	if last.Error != "" || last.Assignment == nil {
		return nil, fmt.Errorf("no assignment: %s", answers[len(answers)-1])
	}
	rows := map[string][]string{}
	for owner, given := range last.Assignment {
		list(rows, owner, given)
	}
	for owner, given := range last.Revoked {
		list(rows, owner+" revoked", given)
	}
	if last.Probing {
		rows["probing"] = []string{"yes"}
	}
	return rows, nil
}

// list adds partitions such as t0-0, tasks by role, or connectors and their tasks.
func list(rows map[string][]string, owner string, given json.RawMessage) {
	var items []any
	parts := map[string][]any{}
	if json.Unmarshal(given, &items) != nil && json.Unmarshal(given, &parts) != nil {
		panic(string(given))
	}
	_, work := parts["connectors"]
	if work {
		items = append(parts["connectors"], parts["tasks"]...)
	}
	for role, tasks := range parts {
		if !work {
			rows[owner+" "+role] = names(tasks)
		}
	}
	if work || len(parts) == 0 {
		rows[owner] = names(items)
	}
}

func names(items []any) []string {
	found := []string{}
	for _, item := range items {
		if pair, ok := item.([]any); ok {
			found = append(found, fmt.Sprintf("%v-%v", pair[0], pair[1]))
		} else {
			found = append(found, fmt.Sprint(item))
		}
	}
	return found
}
@HELPERS@
