package main

import (
	"encoding/json"
	"fmt"
)

// group is a consumer group as kassay writes it: docs/reference/adapter-protocol.schema.json, partitions_group.
type group struct {
	Topics  []topic  `json:"topics"`
	Members []member `json:"members"`
}

// topic has for each partition the racks of its replicas, the leader's first; null where unknown.
type topic struct {
	Name       string      `json:"name"`
	Partitions int32       `json:"partitions"`
	Racks      [][]*string `json:"racks"`
}

type member struct {
	ID         string      `json:"id"`
	Topics     []string    `json:"topics"`
	Owned      []partition `json:"owned"`
	Generation *int32      `json:"generation"`
	InstanceID *string     `json:"instance_id"`
	Rack       *string     `json:"rack"`
	UserData   []byte      `json:"user_data"` // in base64; null where the balancer's own are sent
}

// partition is written as a pair: ["t0", 3].
type partition struct {
	topic  string
	number int32
}

func (p partition) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{p.topic, p.number})
}

func (p *partition) UnmarshalJSON(text []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a partition is a pair of topic and number, not %s", text)
	}
	if err := json.Unmarshal(pair[0], &p.topic); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &p.number)
}
