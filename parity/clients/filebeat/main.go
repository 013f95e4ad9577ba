// Filebeat with its kafka input alone.
package main

import (
	"os"

	"github.com/elastic/beats/v7/filebeat/beater"
	"github.com/elastic/beats/v7/filebeat/cmd"
	"github.com/elastic/beats/v7/filebeat/input/kafka"
	input "github.com/elastic/beats/v7/filebeat/input/v2"
	"github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/logp"
)

func main() {
	inputs := func(beat.Info, *logp.Logger, beater.StateStore) []input.Plugin {
		return []input.Plugin{kafka.Plugin()}
	}
	if err := cmd.Filebeat(inputs, cmd.FilebeatSettings()).Execute(); err != nil {
		os.Exit(1)
	}
}
