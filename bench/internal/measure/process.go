package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sampleEvery is how often Run looks at the memory of its process.
const sampleEvery = 5 * time.Millisecond

// Command returns the command line args, which is asked to end when ctx does, and killed
// if it has not ended ten seconds later.
func Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// Run runs cmd to its end and returns the most anonymous memory that it and its
// descendants had at one time, as sampled every 5 ms. The error has the command's
// standard error if cmd.Stderr was nil.
func Run(cmd *exec.Cmd) (peakAnonBytes int64, err error) {
	var stderr bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("measure: %w", err)
	}
	peak := watch(cmd.Process.Pid)
	err = cmd.Wait()
	peakAnonBytes = peak()
	if err != nil {
		return peakAnonBytes, fmt.Errorf("measure: %s: %w: %s", filepath.Base(cmd.Path), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return peakAnonBytes, nil
}

// RunJSON runs cmd as Run does and decodes what it prints, one JSON value, into v.
func RunJSON(cmd *exec.Cmd, v any) (peakAnonBytes int64, err error) {
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if peakAnonBytes, err = Run(cmd); err != nil {
		return peakAnonBytes, err
	}
	if err := json.Unmarshal(stdout.Bytes(), v); err != nil {
		return peakAnonBytes, fmt.Errorf("measure: %s: %w: %q", filepath.Base(cmd.Path), err, stdout.Bytes())
	}
	return peakAnonBytes, nil
}

// Build builds a program: package pkg of the module in a directory.
func Build(module, pkg, output string) error {
	cmd := exec.Command("go", "build", "-o", output, pkg)
	cmd.Dir = module
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("measure: go build %s in %s: %w: %s", pkg, module, err, bytes.TrimSpace(text))
	}
	return nil
}

// BuildPeers builds the program peers in a directory and returns its path. It is called from
// the root of the repository.
func BuildPeers(dir string) (program string, err error) {
	program = filepath.Join(dir, "peers")
	return program, Build(filepath.Join("bench", "peers"), ".", program)
}

// watch samples the memory of the process tree below pid until the returned function is
// called, which returns the peak.
func watch(pid int) (stop func() int64) {
	var peak int64
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			peak = max(peak, AnonBytes(pid))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() int64 {
		close(done)
		wg.Wait()
		return peak
	}
}

// AnonBytes returns the anonymous memory of process pid and its descendants. Processes
// that are gone, or cannot be seen, count as 0.
func AnonBytes(pid int) int64 {
	var n int64
	for _, p := range Tree(pid) {
		n += statusBytes(p, "RssAnon:")
	}
	return n
}

// Tree returns pid and its descendants, as /proc shows them.
func Tree(pid int) []int {
	pids := []int{pid}
	for i := 0; i < len(pids); i++ {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pids[i]))
		if err != nil {
			return pids
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				continue // the thread has ended
			}
			for _, f := range strings.Fields(string(text)) {
				if child, err := strconv.Atoi(f); err == nil {
					pids = append(pids, child)
				}
			}
		}
	}
	return pids
}

// statusBytes returns a field of /proc/PID/status that is given in kB; 0 if there is none.
func statusBytes(pid int, field string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}

// tickNS is the unit of processor time in /proc/PID/stat: USER_HZ is 100 on every
// architecture that ingot has.
const tickNS = 1e9 / 100

// TreeCPUNS returns the processor time that pid, its descendants, and those that it has
// waited for have used; its resolution is 10 ms.
func TreeCPUNS(pid int) int64 {
	var ticks int64
	for _, p := range Tree(pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue
		}
		// The name of the program, in parentheses, may hold anything.
		f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(f) < 15 {
			continue
		}
		for _, v := range f[11:15] { // utime, stime, cutime, cstime
			n, err := strconv.ParseInt(v, 10, 64)
			if err == nil {
				ticks += n
			}
		}
	}
	return ticks * tickNS
}

// DirBytes returns the sum of the sizes of the files below dir, as they are allocated on
// disk where the system says so.
func DirBytes(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			return err
		}
		n += allocated(info)
		return nil
	})
	if err != nil {
		return n, fmt.Errorf("measure: %w", err)
	}
	return n, nil
}
