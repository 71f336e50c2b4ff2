package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

func sqliteMissing() string { return programMissing("sqlite3", "Debian's package sqlite3") }

// programMissing says that a program is not in PATH, and where it is from.
func programMissing(program, from string) string {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Sprintf("no program %s in PATH (%s)", program, from)
	}
	return ""
}

// loadSQLite imports with the shell. Its one process is measured from start to end,
// since the shell times no .import; starting it takes about 2 ms.
func loadSQLite(j *job) (s measure.Sample, err error) {
	db := filepath.Join(j.Dir, "sqlite.db")
	if _, err := shell(db, createTable(j, "")); err != nil {
		return s, err
	}
	cmd := exec.Command("sqlite3", "-bail", "-csv", db, ".import --skip 1 "+strconv.Quote(j.File)+" "+j.Table)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return s, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	s.WallNS = int64(time.Since(begin))
	s.CPUNS = int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	out, err := shell(db, "SELECT count(*), sqlite_version() FROM "+j.Table)
	if err != nil {
		return s, err
	}
	rows, version, _ := strings.Cut(out, "|")
	if s.Rows, err = strconv.ParseInt(rows, 10, 64); err != nil {
		return s, err
	}
	s.Version = version
	return s, nil
}

// shell runs one statement and returns what it prints.
func shell(db, text string) (string, error) {
	out, err := exec.Command("sqlite3", "-bail", db, text).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("sqlite3: %w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
