package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ingotdb/ingot"
)

// jsonError is one line of --errors json. Absent means unknown.
type jsonError struct {
	SQLState   string  `json:"sqlstate"`
	Message    string  `json:"message"`
	Detail     string  `json:"detail,omitempty"`
	Hint       string  `json:"hint,omitempty"`
	Table      string  `json:"table,omitempty"`
	File       string  `json:"file,omitempty"`
	Line       int64   `json:"line,omitempty"`
	Column     string  `json:"column,omitempty"`
	Value      *string `json:"value,omitempty"`
	ByteOffset *int64  `json:"byte_offset,omitempty"`
}

// writeError prints err to w: as one JSON object on a line, or as psql words it.
// statement is the text that failed, for pointing into it; it may be empty.
func writeError(w io.Writer, err error, asJSON bool, statement string) {
	e := ingot.AsError(err)
	if asJSON {
		out := jsonError{
			SQLState: e.SQLState, Message: e.Message, Detail: e.Detail, Hint: e.Hint,
			Table: e.Table, File: e.File, Line: e.Line, Column: e.Column,
		}
		if e.HasValue {
			out.Value = &e.Value
		}
		if e.HasOffset {
			out.ByteOffset = &e.ByteOffset
		}
		writeJSON(w, out)
		return
	}
	fmt.Fprintf(w, "ERROR:  %s (%s)\n", visible([]byte(e.Message)), e.SQLState)
	var at *ingot.StatementError
	if statement != "" && errors.As(err, &at) {
		pointInto(w, statement, at.Position)
	}
	if e.Detail != "" {
		fmt.Fprintf(w, "DETAIL:  %s\n", visible([]byte(e.Detail)))
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "HINT:  %s\n", visible([]byte(e.Hint)))
	}
	if c := e.Context(); c != "" {
		if e.File != "" {
			c += ", file " + e.File
		}
		fmt.Fprintf(w, "CONTEXT:  %s\n", visible([]byte(c)))
	}
}

// excerpt is how many characters of a line pointInto prints at most, and behind how many
// of them the mark is where the line is cut.
const excerpt, lead = 72, 40

// pointInto prints the line of text that holds the character position, counted from 1,
// and a mark below it. Of a long line it prints what is around the mark.
func pointInto(w io.Writer, text string, position int) {
	chars := []rune(text)
	if position < 1 || position > len(chars)+1 {
		return
	}
	at := position - 1
	start, end := at, at
	for start > 0 && chars[start-1] != '\n' {
		start--
	}
	for end < len(chars) && chars[end] != '\n' {
		end++
	}
	label, tail := fmt.Sprintf("LINE %d: ", strings.Count(string(chars[:start]), "\n")+1), ""
	if end-start > excerpt {
		if cut := min(at-lead, end-excerpt); cut > start {
			label, start = label+"...", cut
		}
		if end-start > excerpt {
			tail, end = "...", start+excerpt
		}
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, label+string(chars[start:at]))
	line := strings.TrimSuffix(string(chars[start:end]), "\r")
	fmt.Fprintf(w, "%s%s%s\n%s^\n", label, visible([]byte(line)), tail, pad)
}

// jsonStage is one stage of a COPY in --stats json.
type jsonStage struct {
	NS    int64 `json:"ns"`
	Bytes int64 `json:"bytes"`
}

// jsonStats is one line of --stats json.
type jsonStats struct {
	Statement   string `json:"statement"`
	Rows        int64  `json:"rows"`
	WallNS      int64  `json:"wall_ns"`
	CPUNS       int64  `json:"cpu_ns"`
	MinorFaults int64  `json:"minor_faults"`
	*jsonCopy
}

// jsonCopy is what a COPY has in --stats json beside the rest.
type jsonCopy struct {
	Bytes         int64                `json:"bytes"`
	Cardinality   string               `json:"cardinality"`
	Workers       int                  `json:"workers"`
	Reservations  int64                `json:"reservations"`
	ReservedBytes int64                `json:"reserved_bytes"`
	UsedBytes     int64                `json:"used_bytes"`
	Stages        map[string]jsonStage `json:"stages"`
}

// meter measures the process over one statement.
type meter struct {
	from  time.Time
	usage usage
}

// usage is what the process has used so far.
type usage struct {
	cpu         time.Duration
	minorFaults int64
}

func startMeter() meter { return meter{from: time.Now(), usage: processUsage()} }

// stats returns what happened since startMeter.
func (m meter) stats(statement string, rows int64) jsonStats {
	now := processUsage()
	return jsonStats{
		Statement:   statement,
		Rows:        rows,
		WallNS:      time.Since(m.from).Nanoseconds(),
		CPUNS:       (now.cpu - m.usage.cpu).Nanoseconds(),
		MinorFaults: now.minorFaults - m.usage.minorFaults,
	}
}

// writeJSON prints v as JSON on one line.
func writeJSON(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(w, err)
	}
}
