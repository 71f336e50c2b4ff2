package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/ingotdb/ingot/bench/internal/measure"
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

// loadNode returns the load that js/NAME.mjs does. The script is given the job as JSON
// and prints a sample.
func loadNode(name string, durable bool) func(*job) (measure.Sample, error) {
	return func(j *job) (s measure.Sample, err error) {
		j.Durable = durable
		text, err := json.Marshal(j)
		if err != nil {
			return s, err
		}
		cmd := exec.Command("node", filepath.Join(sourceDir(), "js", name+".mjs"), string(text))
		cmd.Env = append(os.Environ(), "POLARS_MAX_THREADS="+strconv.Itoa(j.Threads))
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			return s, fmt.Errorf("%w: %s", err, stderr.Bytes())
		}
		if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
			return s, fmt.Errorf("%w: %s", err, stdout.Bytes())
		}
		return s, nil
	}
}
