package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/sql/parse"
	"github.com/peterh/liner"
)

const shellHelp = `Statements end with a semicolon.
  \d [TABLE]   the tables, or the columns of one
  \mode MODE   how rows are printed: %s
  \q           end (also Ctrl-D)
Ctrl-C gives up the line, or cancels the statement that runs.
`

// shell is the dialogue on a terminal.
type shell struct {
	*runner
	db   *ingot.DB
	line *liner.State

	// idle takes the signal that Ctrl-C is where no line is being read and no statement
	// runs: there is nothing to cancel then, and the shell goes on.
	idle chan os.Signal
}

// runShell talks until the end of input and returns the exit status.
func runShell(db *ingot.DB, f *flags, mode string) int {
	s := &shell{db: db, line: liner.NewLiner(), idle: make(chan os.Signal, 1)}
	defer s.line.Close()
	signal.Notify(s.idle, os.Interrupt)
	defer signal.Stop(s.idle)
	s.line.SetCtrlCAborts(true)
	s.line.SetMultiLineMode(true)
	s.runner = newRunner(db, f, mode, &prompted{line: s.line}, os.Stdout)
	history := openHistory(s.line)
	fmt.Fprintf(os.Stderr, "ingot %s, store %s. \\? for help.\n", version(), db.Path())
	s.talk()
	history.save(s.line)
	return s.close(statusDone)
}

// talk reads and runs statements until the end of input.
func (s *shell) talk() {
	text := ""
	for {
		line, err := s.line.Prompt(s.prompt(text != ""))
		if errors.Is(err, liner.ErrPromptAborted) {
			text = ""
			continue
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.fail(err, "", "")
			}
			fmt.Fprintln(os.Stderr)
			return
		}
		if text == "" && strings.HasPrefix(strings.TrimSpace(line), `\`) {
			s.line.AppendHistory(line)
			if s.meta(strings.Fields(line)) {
				return
			}
			continue
		}
		text += line + "\n"
		if strings.TrimSpace(text) == "" {
			text = ""
			continue
		}
		if !parse.Complete(text) {
			continue
		}
		s.line.AppendHistory(strings.TrimSpace(text))
		ctx, stop := untilInterrupted()
		signal.Stop(s.idle) // a second signal ends a statement that does not heed the first
		s.script(ctx, "", strings.NewReader(text), false)
		signal.Notify(s.idle, os.Interrupt)
		stop()
		text = ""
	}
}

func (s *shell) prompt(more bool) string {
	switch {
	case more:
		return "    -> "
	case s.session.Failed():
		return "ingot!> "
	case s.session.InTransaction():
		return "ingot*> "
	}
	return "ingot> "
}

// meta runs a command that starts with a backslash and reports whether it ends the shell.
func (s *shell) meta(words []string) (end bool) {
	switch cmd := words[0]; {
	case cmd == `\q`:
		return true
	case cmd == `\?`:
		fmt.Fprintf(os.Stderr, shellHelp, strings.Join(modes, ", "))
	case cmd == `\mode` && len(words) == 2 && slices.Contains(modes, words[1]):
		s.mode = words[1]
	case cmd == `\d` && len(words) <= 2:
		if err := s.describe(words[1:]); err != nil {
			s.fail(err, "", "")
		}
	default:
		fmt.Fprintf(os.Stderr, "unknown command %s; \\? for help\n", strings.Join(words, " "))
	}
	return false
}

// describe lists the tables, or the columns of the one named.
func (s *shell) describe(names []string) error {
	snap, err := s.db.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	if len(names) == 0 {
		for _, t := range snap.Tables() {
			fmt.Fprintf(s.stdout, "%s (%d rows)\n", t.Schema().Name, t.Rows())
		}
		return s.stdout.Flush()
	}
	t, err := snap.Table(names[0])
	if err != nil {
		return err
	}
	for _, c := range t.Schema().Columns {
		fmt.Fprintf(s.stdout, "%s %s", c.Name, c.Type)
		if c.NotNull {
			fmt.Fprint(s.stdout, " NOT NULL")
		}
		if c.HasDefault {
			fmt.Fprintf(s.stdout, " DEFAULT %s", c.Default)
		}
		fmt.Fprintln(s.stdout)
	}
	return s.stdout.Flush()
}

// prompted is the data of COPY FROM STDIN typed at the terminal, up to a line of \.
type prompted struct {
	line *liner.State
	rest bytes.Buffer
	open bool
}

func (p *prompted) Read(b []byte) (int, error) {
	for p.rest.Len() == 0 {
		if !p.open {
			fmt.Fprintln(os.Stderr, `Data follows, a line each; end with a line of \.`)
			p.open = true
		}
		text, err := p.line.Prompt(">> ")
		if text == `\.` || errors.Is(err, io.EOF) {
			p.open = false
			return 0, io.EOF
		}
		if err != nil {
			p.open = false
			return 0, err
		}
		p.rest.WriteString(text + "\n")
	}
	return p.rest.Read(b)
}

// history is the file of lines typed before, or "" if the system has no place for it.
type history string

// openHistory reads the history into line. A history that cannot be read is none.
func openHistory(line *liner.State) history {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	h := history(filepath.Join(dir, "ingot", "history"))
	if f, err := os.Open(string(h)); err == nil {
		_, err = line.ReadHistory(f)
		f.Close()
		if err != nil {
			fmt.Fprintf(os.Stderr, "history %s: %v\n", h, err)
		}
	}
	return h
}

// save writes the history back.
func (h history) save(line *liner.State) {
	if h == "" {
		return
	}
	err := os.MkdirAll(filepath.Dir(string(h)), 0o700)
	if err == nil {
		var b bytes.Buffer
		if _, err = line.WriteHistory(&b); err == nil {
			err = os.WriteFile(string(h), b.Bytes(), 0o600)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "history %s: %v\n", h, err)
	}
}
