// Package played plays tapes of wrong assignors to the judge in Go.
package played

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kassay/fixtures"
)

// said is what was answered to the group that Print tells.
type said struct {
	Print, Why string
	Answer     fixtures.Assignment
}

type tape struct {
	Name, Exact       string
	Aims, Can, Limits []string
	Cooperative       bool
	Asked             []said
}

// playing answers as a tape does, in its order; of what the judge does not ask about it plays nothing.
func playing(left []said) func(fixtures.Group) (fixtures.Assignment, error) {
	return func(group fixtures.Group) (fixtures.Assignment, error) {
		parts := []string{}
		for _, topic := range group.Topics {
			parts = append(parts, fmt.Sprintf("%s %d", topic.Name, topic.Partitions))
		}
		for _, m := range group.Members {
			count := 0
			for _, owned := range m.Owned {
				count += len(owned)
			}
			parts = append(parts, fmt.Sprintf("%s %d %d", m.ID, m.Generation, count))
		}
		wanted := strings.Join(parts, "; ")
		at := slices.IndexFunc(left, func(each said) bool { return each.Print == wanted })
		if at < 0 {
			return nil, errors.New("is asked about " + wanted + ", which is not on the tape")
		}
		found := left[at]
		left = left[at+1:]
		if found.Why == "never" {
			time.Sleep(time.Minute)
		}
		if found.Why != "" {
			return nil, errors.New(found.Why)
		}
		return found.Answer, nil
	}
}

func TestPlayed(t *testing.T) {
	file, err := os.Open(os.Getenv("KASSAY_TAPES"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var played tape
		if err := json.Unmarshal(lines.Bytes(), &played); err != nil {
			t.Fatal(err)
		}
		t.Run(played.Name, func(t *testing.T) {
			fixtures.Run(t, fixtures.Target{
				Name: played.Name, Ask: playing(played.Asked), Aims: played.Aims, Can: played.Can, Limits: played.Limits,
				Cooperative: played.Cooperative, Exact: played.Exact,
			})
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
