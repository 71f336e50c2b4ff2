package acceptance

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot"
)

// TestRefused is what a user gets wrong most: SQLSTATE, and what to do next.
func TestRefused(t *testing.T) {
	store, file := newTable(t), writeLines(t, 3)
	dir := filepath.Dir(file)
	for _, c := range []struct {
		statement, state string
		hint             bool // there is something to do
	}{
		{"COPY t FROM '" + dir + "/missing.csv' CSV", "58P01", true},
		{"COPY t FROM '" + dir + "' CSV", "42809", true},
		{"COPY t FROM '" + dir + "/no*.csv' CSV", "58P01", false},
		{"COPY t FROM '" + file + "/x.csv' CSV", "42809", false},
		{"COPY t FROM '" + file + "' (FORMAT csv, NO_SUCH_OPTION 1)", "42601", false},
		{"COPY t FROM '" + file + "' (FORMAT no_such_format)", "22023", true},
		{"COPY t FROM '" + file + "' (FORMAT csv, FORMAT csv)", "42601", false},
		{"COPY t (a, c) FROM '" + file + "' CSV", "42703", true},
		{"COPY t (a, a) FROM '" + file + "' CSV", "42701", false},
		{"COPY nothing FROM '" + file + "' CSV", "42P01", false},
		{"COPY t TO '" + dir + "' CSV", "42809", true},
		{"COPY t TO '" + dir + "/no/out.csv' CSV", "58P01", true},
		{"SELECT * FROM t JOIN t ON true", "0A000", true},
		{"SELECT (SELECT 1)", "0A000", true},
		{"SELECT rank() OVER () FROM t", "0A000", true},
		{"CREATE TABLE t (a int)", "42P07", false},
		{"SELECT FROM WHERE", "42601", false},
	} {
		f := run(t, "sql", store, "--errors", "json", "-c", c.statement).failed(1)
		if f.SQLState != c.state || c.hint && f.Hint == "" {
			t.Errorf("%s: %+v; want %s, hint %v", c.statement, f, c.state, c.hint)
		}
	}
	if n := count(t, store, "t"); n != "0" {
		t.Errorf("%s rows", n)
	}
	for _, c := range []struct{ path, state string }{
		{filepath.Join(dir, "no", "st"), "58P01"},
		{file, "42809"},
		{dir, "42809"},
	} {
		if f := run(t, "sql", c.path, "--errors", "json", "-c", "SELECT 1").failed(3); f.SQLState != c.state || f.Hint == "" {
			t.Errorf("store %s: %+v", c.path, f)
		}
	}
}

// TestNewerFormat raises the version that a reader needs, in both slots.
func TestNewerFormat(t *testing.T) {
	store := newTable(t)
	name := filepath.Join(store, "SB")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, slot := range [][]byte{b[:60], b[4096 : 4096+60]} { // docs/FORMAT.md#superblock
		binary.LittleEndian.PutUint16(slot[8:], 99)
		binary.LittleEndian.PutUint32(slot[56:], crc32.Checksum(slot[:56], crc32.MakeTable(crc32.Castagnoli)))
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"sql", store, "-c", "SELECT 1"}, {"info", store}, {"check", store}} {
		if f := run(t, append(args, "--errors", "json")...).failed(3); f.SQLState != "0A000" || f.Hint == "" {
			t.Errorf("%v: %+v", args, f)
		}
	}
	if _, err := ingot.Open(context.Background(), store, ingot.Options{}); !errors.Is(err, ingot.ErrVersion) || errors.Is(err, ingot.ErrCorrupt) {
		t.Errorf("Open: %v", err)
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != string(b) {
		t.Errorf("the superblock was changed, %v", err)
	}
}

// TestSecondWriter holds a store in another process: Open says in which.
func TestSecondWriter(t *testing.T) {
	store := newTable(t)
	cmd := exec.Command(program, "sql", store, "--mode", "csv")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := in.Write([]byte("SELECT 1 AS one;\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // the store is open
		t.Fatal(err)
	}
	for _, readOnly := range []bool{false, true} {
		_, err := ingot.Open(context.Background(), store, ingot.Options{ReadOnly: readOnly})
		var locked *ingot.LockedError
		if !errors.Is(err, ingot.ErrLocked) || !errors.As(err, &locked) || locked.PID != cmd.Process.Pid {
			t.Errorf("read only %v: %v; want process %d", readOnly, err, cmd.Process.Pid)
		}
		if e := ingot.AsError(err); e.SQLState != "55P03" || e.Hint == "" {
			t.Errorf("read only %v: %s, hint %q", readOnly, e.SQLState, e.Hint)
		}
	}
}
