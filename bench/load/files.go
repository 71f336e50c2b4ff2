package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
)

// makeInput writes the input below dir, unless it is there, and returns its path and size.
func (c *config) makeInput(ctx context.Context, command, dir string, in input) (path string, size int64, err error) {
	path = filepath.Join(dir, fmt.Sprintf("%s-%d.%s", in.name, c.rows(in), in.format))
	if st, err := os.Stat(path); err == nil {
		return path, st.Size(), nil
	}
	part := filepath.Join(dir, "part-"+filepath.Base(path))
	if in.format == "csv" {
		err = writeCSV(part, in.name, c.rows(in))
	} else {
		err = convert(ctx, command, part, in, c.rows(in))
	}
	if err := errors.Join(err, os.Rename(part, path)); err != nil {
		return "", 0, errors.Join(err, os.RemoveAll(part))
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	return path, st.Size(), nil
}

// writeCSV writes rows of an input as they come.
func writeCSV(path, name string, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(inputs.Write(f, name, rows), f.Close())
}

// convert lets ingot write an input in another format. What it needs beside path is gone
// afterwards.
func convert(ctx context.Context, command, path string, in input, rows int) (err error) {
	csv, store := path+".csv", path+".store"
	defer func() { err = errors.Join(err, os.RemoveAll(csv), os.RemoveAll(store)) }()
	if err := writeCSV(csv, in.name, rows); err != nil {
		return err
	}
	cmd := measure.Command(ctx, command, "sql", store, "--durability", "none", "-c", inputs.Schema(in.name),
		"-c", "COPY "+in.name+" FROM "+quoted(csv)+" (FORMAT csv, HEADER)",
		"-c", "COPY "+in.name+" TO "+quoted(path)+" (FORMAT "+in.format+")")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("write %s: %w: %s", in, err, bytes.TrimSpace(out))
	}
	return nil
}

// warm reads the file, so that it is in the page cache.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return errors.Join(err, f.Close())
}
