package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

// allTasks returns the names of all tasks.
func allTasks() []string {
	var names []string
	for _, t := range tasks.All {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// outInput measures the tasks of one input at every number of threads.
func (s *session) outInput(ctx context.Context, in input) (err error) {
	fmt.Fprintf(s.log, "load: %s: %d rows\n", in, s.rows(in))
	file, size, err := s.makeInput(ctx, s.command, s.work, in)
	if err != nil {
		return err
	}
	dirs := map[string]string{}
	defer func() {
		for _, dir := range dirs {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		if s.dir == "" {
			err = errors.Join(err, os.Remove(file))
		}
	}()
	j := job{input: in, file: file, threads: slices.Max(s.threads), keep: true}
	var loaders []loader
	for _, l := range s.loaders {
		if len(s.of(l, in)) > 0 {
			loaders = append(loaders, l)
		}
	}
	err = s.rotated(ctx, loaders, in, 0, func(l loader) (failed, err error) {
		if dirs[l.name], err = emptyDir(s.work); err != nil {
			return nil, err
		}
		j.dir = dirs[l.name]
		if _, failed = l.load(ctx, j); failed == nil {
			return nil, s.settle()
		}
		return failed, s.raw.Encode(results.Record{Input: in.name, Task: "load", Loader: l.name, Failed: failed.Error()})
	})
	if err != nil {
		return err
	}
	for _, j.threads = range s.threads {
		for round := range s.rounds {
			err := s.rotated(ctx, loaders, in, round, func(l loader) (failed, err error) {
				fmt.Fprintf(s.log, "load: %s, %d threads, round %d of %d: %s\n", in, j.threads, round+1, s.rounds, l.name)
				j.dir = dirs[l.name]
				return s.outOnce(ctx, l, j, size, round)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// of returns the tasks of an input that are wanted and that the loader does.
func (s *session) of(l loader, in input) []string {
	var names []string
	for _, t := range tasks.All {
		if t.Input == in.name && slices.Contains(s.tasks, t.Name) && slices.Contains(l.tasks, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// outOnce lets a loader do its tasks once, in one process.
func (s *session) outOnce(ctx context.Context, l loader, j job, size int64, round int) (failed, err error) {
	record := results.Record{Input: j.input.name, Threads: j.threads, Round: round + 1, Loader: l.name, Durable: l.durable, Bytes: size}
	names := s.of(l, j.input)
	samples, failed := l.do(ctx, j, names, s.runs)
	if failed != nil {
		record.Task, record.Failed = strings.Join(names, ", "), failed.Error()
		return failed, errors.Join(s.raw.Encode(record), s.settle())
	}
	seen := map[string]bool{}
	for _, t := range samples {
		r := record
		r.Task, r.Answer, r.Failed, r.Sample = t.Task, t.Answer, t.Failed, t.Sample
		r.First = s.runs > 1 && r.Answer != "" && !seen[t.Task]
		seen[t.Task] = true
		if err := s.raw.Encode(r); err != nil {
			return nil, err
		}
	}
	return nil, s.settle()
}

// doPeer does tasks with a peer.
func doPeer(ctx context.Context, program, name string, j job, names []string, runs int) ([]results.TaskSample, error) {
	cmd := measure.Command(ctx, append(peerArgs(program, "do", name, j), "-tasks", strings.Join(names, ","), "-runs", strconv.Itoa(runs))...)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if _, err := measure.Run(cmd); err != nil {
		return nil, err
	}
	var samples []results.TaskSample
	for in := json.NewDecoder(&stdout); ; {
		var s results.TaskSample
		if err := in.Decode(&s); errors.Is(err, io.EOF) {
			return samples, nil
		} else if err != nil {
			return nil, fmt.Errorf("peers do: %w", err)
		}
		samples = append(samples, s)
	}
}

// doIngot does tasks with the command, all in one process.
func doIngot(ctx context.Context, command string, j job, names []string, runs int) ([]results.TaskSample, error) {
	list, err := tasks.Of(j.input.name, names)
	if err != nil {
		return nil, err
	}
	args := []string{"sql", filepath.Join(j.dir, "store"), "--max-workers", strconv.Itoa(j.threads), "--mode", "csv", "--stats", "json"}
	output := func(t tasks.Task) string { return filepath.Join(j.dir, "out."+t.Name) }
	var done []tasks.Task // one for each statement
	for _, t := range list {
		if t.Query == "" {
			options := "FORMAT " + t.Name
			if t.Name == "csv" {
				options += ", HEADER"
			}
			args = append(args, "-c", "COPY "+j.input.name+" TO "+quoted(output(t))+" ("+options+")")
			done = append(done, t)
			continue
		}
		for range runs {
			args = append(args, "-c", t.Query)
			done = append(done, t)
		}
	}
	cmd := measure.Command(ctx, append([]string{command}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if _, err := measure.Run(cmd); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	stats, err := readStats(stderr.String())
	if err != nil {
		return nil, err
	}
	if len(stats) != len(done) {
		return nil, fmt.Errorf("ingot sql: statistics of %d statements for %d", len(stats), len(done))
	}
	rows := csv.NewReader(&stdout)
	rows.FieldsPerRecord = -1
	samples := make([]results.TaskSample, len(done))
	for i, t := range done {
		samples[i].Task, samples[i].Sample = t.Name, stats[i].Sample
		if t.Query == "" {
			samples[i].StoredBytes, err = removed(output(t))
		} else {
			samples[i].Answer, err = answer(rows, int(stats[i].Rows))
		}
		if err != nil {
			return nil, fmt.Errorf("ingot sql: %s: %w", t.Name, err)
		}
	}
	return samples, nil
}

// answer reads the header and the n rows of a query.
func answer(r *csv.Reader, n int) (string, error) {
	var rows [][]string
	for i := range n + 1 {
		fields, err := r.Read()
		if err != nil {
			return "", err
		}
		if i > 0 {
			rows = append(rows, fields)
		}
	}
	return tasks.Answer(rows), nil
}

// removed removes a file and returns how long it was.
func removed(path string) (int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return st.Size(), os.Remove(path)
}
