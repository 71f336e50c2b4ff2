package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

// nodeModules is where docs/BENCHMARKS.md says to install the packages of Node.js peers.
func nodeModules() string { return filepath.Join(sourceDir(), "node", "node_modules") }

// sourceDir is the directory of this file, which the scripts lie beside.
func sourceDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// nodeMissing returns the check for a peer that is a package of Node.js.
func nodeMissing(pkg string) func() string {
	return func() string {
		if why := programMissing("node", "Debian's package nodejs"); why != "" {
			return why
		}
		if _, err := os.Stat(filepath.Join(nodeModules(), filepath.FromSlash(pkg))); err != nil {
			return "the package " + pkg + " is not installed (docs/BENCHMARKS.md says how)"
		}
		return ""
	}
}

// node runs a script with the job as JSON and returns what it prints. The script is ended if
// this process is told to end.
func node(name string, job any, threads int) ([]byte, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", filepath.Join(sourceDir(), "js", name+".mjs"), string(text))
	cmd.Env = append(os.Environ(), "POLARS_MAX_THREADS="+strconv.Itoa(threads))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// loadNode returns the load that js/NAME.mjs does. The script is given the job and prints a
// sample.
func loadNode(name string, durable bool) func(*job) (measure.Sample, error) {
	return func(j *job) (s measure.Sample, err error) {
		j.Durable = durable
		out, err := node(name, j, j.Threads)
		if err != nil {
			return s, err
		}
		if err := json.Unmarshal(out, &s); err != nil {
			return s, fmt.Errorf("%w: %s", err, out)
		}
		return s, nil
	}
}

// doNode returns the function that lets js/NAME.mjs do tasks. The script is given the work
// and prints a list of samples that have their rows, or their error.
func doNode(name string) func(*work, func(results.TaskSample) error) error {
	return func(w *work, each func(results.TaskSample) error) error {
		out, err := node(name, w, w.Threads)
		if err != nil {
			return err
		}
		var samples []struct {
			results.TaskSample
			Answer [][]any `json:"answer"`
		}
		in := json.NewDecoder(bytes.NewReader(out))
		in.UseNumber()
		if err := in.Decode(&samples); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		for _, s := range samples {
			if s.Answer != nil {
				rows := make([][]string, len(s.Answer))
				for i, r := range s.Answer {
					for _, v := range r {
						rows[i] = append(rows[i], fmt.Sprint(v))
					}
				}
				s.TaskSample.Answer, s.Rows = tasks.Answer(rows), int64(len(rows))
			}
			if err := each(s.TaskSample); err != nil {
				return err
			}
		}
		return nil
	}
}
