package measure

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ingotdb/ingot/kernels"
)

// writeHeader writes what a result cannot be read without: when, on which processor,
// kernel, Go, level and file system, and how busy the machine was. dir is where the
// measured stores are; lines, if any, are written below, each as one line.
func writeHeader(w io.Writer, dir string, lines ...string) error {
	text := fmt.Sprintf("# date: %s\n# cpu: %s, %d of them seen\n# memory: %s\n# kernel: %s %s\n# go: %s %s/%s\n# level: %v\n# file system: %s\n# load average: %s\n",
		time.Now().UTC().Format(time.RFC3339), cpuModel(), runtime.NumCPU(), firstOf("/proc/meminfo", "MemTotal:"),
		runtime.GOOS, oneLine("/proc/sys/kernel/osrelease"), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		kernels.Active(), fileSystem(dir), loadAverage())
	for _, l := range lines {
		text += "# " + strings.Join(strings.Fields(l), " ") + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	return nil
}

// loadAverage returns the load averages over 1, 5 and 15 minutes.
func loadAverage() string {
	f := strings.Fields(oneLine("/proc/loadavg"))
	if len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}

// cpuModel names the processor by its family, model and stepping, too: a virtual
// machine's name for it says little.
func cpuModel() string {
	const info = "/proc/cpuinfo"
	name := firstOf(info, "model name")
	if name == "unknown" {
		return runtime.GOARCH
	}
	return fmt.Sprintf("%s (family %s, model %s, stepping %s)", name, firstOf(info, "cpu family"), firstOf(info, "model\t"), firstOf(info, "stepping"))
}

// firstOf returns the value on the first line of a file that starts with key.
func firstOf(path, key string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimLeft(strings.TrimSpace(rest), ": \t")
		}
	}
	return "unknown"
}

func oneLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// fileSystem names the type of the file system that dir is on, and its mount options.
func fileSystem(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "unknown"
	}
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "unknown"
	}
	best, at := "unknown", 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 4 || len(f[1]) < at {
			continue
		}
		if abs == f[1] || strings.HasPrefix(abs, strings.TrimSuffix(f[1], "/")+"/") {
			best, at = f[2]+" "+f[3], len(f[1])
		}
	}
	return best
}
