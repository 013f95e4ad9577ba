// Command franz-go lets kassay ask the balancers of franz-go, a Kafka client for Go, in the adapter protocol of kassay.
//
// It reads one JSON object a line from standard input and writes one JSON object a line to standard output, as
// docs/reference/adapter.md describes. Names on the command line choose which balancers it offers; all by default.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

const library = "github.com/twmb/franz-go"

type request struct {
	Kassay   int    `json:"kassay"`
	Seq      int    `json:"seq"`
	Assignor string `json:"assignor"`
	Group    group  `json:"group"`
}

type offer struct {
	Assignors []assignor `json:"assignors"`
	Language  string     `json:"language"`
	Version   string     `json:"version"`
}

type assignor struct {
	Name     string     `json:"name"`
	Family   string     `json:"family"`
	Promises promises   `json:"promises"`
	ExceptIn exceptions `json:"except_in,omitempty"`
}

type refusal struct {
	Refused string `json:"refused"`
}

type answer struct {
	Seq        int                    `json:"seq"`
	Assignment map[string][]partition `json:"assignment,omitempty"`
	Error      string                 `json:"error,omitempty"`
	Stack      string                 `json:"stack,omitempty"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers line by line until the input ends. It fails on a line that is no request, which only a broken caller writes.
func serve(in io.Reader, out io.Writer, chosen []string) error {
	reader := bufio.NewReader(in)
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: cannot be read: %w", number, err)
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			return fmt.Errorf("line %d: is no request: %w", number, err)
		}
		said := any(nil)
		if asked.Kassay != 0 {
			said = greeting(chosen)
		} else {
			said = answered(asked)
		}
		if err := write.Encode(said); err != nil {
			return fmt.Errorf("line %d: its answer cannot be written: %w", number, err)
		}
	}
}

// greeting says which balancers there are, or why it cannot serve.
func greeting(chosen []string) any {
	var offered []assignor
	var names []string
	for _, each := range balancers {
		names = append(names, each.name)
		if len(chosen) == 0 {
			offered = append(offered, each.offered())
		}
	}
	for _, name := range chosen {
		found, ok := named(name)
		if !ok {
			return refusal{fmt.Sprintf("there is no balancer %q; name some of %s", name, strings.Join(names, ", "))}
		}
		offered = append(offered, found.offered())
	}
	return offer{offered, "go", version()}
}

func (b balancer) offered() assignor {
	return assignor{b.name, "consumer", b.promises, b.except}
}

// answered asks a balancer about a group; what it panics with is its error, with the functions of franz-go on the stack.
func answered(asked request) (said answer) {
	said.Seq = asked.Seq
	defer func() {
		if panicked := recover(); panicked != nil {
			said = answer{Seq: asked.Seq, Error: fmt.Sprintf("panic: %v", panicked), Stack: stack()}
		}
	}()
	found, ok := named(asked.Assignor)
	if !ok {
		said.Error = fmt.Sprintf("there is no balancer %q", asked.Assignor)
		return said
	}
	given, err := found.assign(asked.Group)
	if err != nil {
		said.Error = err.Error()
		return said
	}
	said.Assignment = given
	return said
}

func stack() string {
	places := make([]uintptr, 64)
	frames := runtime.CallersFrames(places[:runtime.Callers(2, places)])
	var own []string
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, library) {
			own = append(own, fmt.Sprintf("%s:%d", strings.TrimPrefix(frame.Function, library+"/"), frame.Line))
		}
		if !more {
			return strings.Join(own, "\n")
		}
	}
}

// version is the release of franz-go that this program was built with.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, module := range info.Deps {
			if module.Path == library {
				return "franz-go " + module.Version
			}
		}
	}
	return "unknown"
}
