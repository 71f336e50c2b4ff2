package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

// runInfo is the command info.
func runInfo(args []string) int {
	f := newFlags("info", "info STORE [--json]")
	asJSON := f.Bool("json", false, "print one JSON object")
	rest, status := f.parse(args, 1, 1)
	if status >= 0 {
		return status
	}
	ctx, _ := untilInterrupted()
	db, status := f.open(ctx, rest[0], ingot.Options{ReadOnly: true})
	if status >= 0 {
		return status
	}
	if err := info(db, *asJSON); err != nil {
		writeError(os.Stderr, err, f.errors == "json", "")
		return closing(db, f, statusFailed)
	}
	return closing(db, f, statusDone)
}

// info prints what the store holds.
func info(db *ingot.DB, asJSON bool) error {
	tables, err := db.Info()
	if err != nil {
		return err
	}
	files, bytes, err := diskUse(db.Path())
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	if asJSON {
		writeJSON(w, infoJSON(db.Path(), files, bytes, tables))
		return w.Flush()
	}
	fmt.Fprintf(w, "store %s: %d bytes in %d files, %d tables\n", db.Path(), bytes, files, len(tables))
	for i := range tables {
		writeTable(w, &tables[i])
	}
	return w.Flush()
}

// diskUse returns how many files the directory of a store has, and their bytes.
func diskUse(path string) (files int, bytes int64, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range entries {
		st, err := os.Stat(filepath.Join(path, e.Name()))
		if err != nil {
			return 0, 0, err
		}
		files++
		bytes += st.Size()
	}
	return files, bytes, nil
}

func writeTable(w io.Writer, t *ingot.TableInfo) {
	fmt.Fprintf(w, "\ntable %s: %d rows, %d deleted, %d bytes, %d row groups\n",
		t.Name, t.Rows, t.Deleted, t.Bytes, len(t.RowGroups))
	for _, c := range t.Columns {
		notNull := ""
		if c.NotNull {
			notNull = " not null"
		}
		fmt.Fprintf(w, "  column %s %s%s\n", visible([]byte(c.Name)), c.Type, notNull)
	}
	for _, g := range t.RowGroups {
		fmt.Fprintf(w, "  row group %d: %d rows, %d deleted, longest visible run %d rows from %d\n",
			g.Index, g.Rows, g.Deleted, g.VisibleRun.Length, g.VisibleRun.Start)
		for _, fr := range g.Fragments {
			file := fr.File
			if file == "" {
				file = "the log"
			}
			fmt.Fprintf(w, "    fragment of %d rows from row %d in %s\n", fr.Rows, fr.First, file)
			tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
			fmt.Fprintf(tw, "      chunk\ttype\tencoding\tbytes\tnulls\tmin\tmax\n")
			for _, c := range fr.Chunks {
				name := inCell([]byte(c.Column))
				if c.Column == "" {
					name = "(dropped)"
				}
				fmt.Fprintf(tw, "      %s\t%s\t%s\t%d\t%d\t%s\t%s\n", name, c.Type, c.Encoding,
					c.Bytes+c.OutBytes, c.Zone.Nulls,
					bound(c.Zone, c.Zone.Min, c.Zone.MinExact), bound(c.Zone, c.Zone.Max, c.Zone.MaxExact))
			}
			tw.Flush() // into w, whose errors its Flush reports
		}
	}
}

// inCell returns b without anything that moves the cursor.
func inCell(b []byte) string {
	return strings.NewReplacer("\t", `\t`, "\n", `\n`).Replace(visible(b))
}

// bound returns a bound of a zone map as text; a text that was cut ends in dots.
func bound(z columnar.Zone, v columnar.Value, exact bool) string {
	if !z.HasBounds {
		return "-"
	}
	s := inCell(v.AppendText(nil, time.UTC))
	if !exact {
		s += "..."
	}
	return s
}

// runCheck is the command check.
func runCheck(args []string) int {
	f := newFlags("check", "check STORE")
	rest, status := f.parse(args, 1, 1)
	if status >= 0 {
		return status
	}
	ctx, _ := untilInterrupted()
	db, err := ingot.Open(ctx, rest[0], ingot.Options{ReadOnly: true})
	if errors.Is(err, ingot.ErrCorrupt) { // a finding, though it is the only one to be had
		fmt.Fprintf(os.Stdout, "%s\nthe damage keeps the store from being opened\n", visible([]byte(err.Error())))
		return statusFailed
	}
	if err != nil {
		writeError(os.Stderr, err, f.errors == "json", "")
		return notOpen(ctx, err)
	}
	found := 0
	st, err := db.Check(ctx, func(err error) {
		found++
		fmt.Fprintln(os.Stdout, visible([]byte(err.Error())))
	})
	switch {
	case err != nil && found == 0:
		writeError(os.Stderr, err, f.errors == "json", "")
		return closing(db, f, failed(ctx))
	case found > 0:
		fmt.Fprintf(os.Stdout, "%d findings of damage\n", found)
		return closing(db, f, statusFailed)
	}
	fmt.Fprintf(os.Stdout, "no damage: %d tables, %d rows, %d row groups, %d fragments, %d chunks, %d bytes\n",
		st.Tables, st.Rows, st.RowGroups, st.Fragments, st.Chunks, st.Bytes)
	return closing(db, f, statusDone)
}

// runVersion is the command version.
func runVersion(args []string) int {
	f := newFlags("version", "version")
	if _, status := f.parse(args, 0, 0); status >= 0 {
		return status
	}
	fmt.Printf("ingot %s %s %s/%s %s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernels.Active())
	return statusDone
}

// version returns the version that the module was built as, or its commit.
func version() string {
	bi, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := bi.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range bi.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
