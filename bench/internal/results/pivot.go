package results

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// Fields is one line of a raw file of any benchmark: its words by their names.
type Fields map[string]string

// ReadFields reads a raw file of lines of JSON, of words NAME=VALUE, or of plain words whose
// names are the last line of the header that has as many. Lines of nothing that has a name are
// passed over.
func ReadFields(r io.Reader) ([]Fields, error) {
	var all []Fields
	var headers [][]string
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		if head, ok := strings.CutPrefix(line, "#"); ok {
			headers = append(headers, strings.Fields(head))
			continue
		}
		f := Fields{}
		if strings.HasPrefix(line, "{") {
			var values map[string]any
			d := json.NewDecoder(strings.NewReader(line))
			d.UseNumber()
			if err := d.Decode(&values); err != nil {
				return nil, fmt.Errorf("results: line %d: %w", n, err)
			}
			for k, v := range values {
				f[k] = fmt.Sprint(v)
			}
		} else {
			f.words(strings.Fields(line), headers)
		}
		if len(f) > 0 {
			all = append(all, f)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return all, nil
}

// words fills f with the words of a line below headers.
func (f Fields) words(words []string, headers [][]string) {
	var names []string
	for _, h := range slices.Backward(headers) {
		if len(h) == len(words) {
			names = h
			break
		}
	}
	for i, w := range words {
		if name, value, ok := strings.Cut(w, "="); ok {
			f[name] = value
		} else if names != nil {
			f[names[i]] = w
		}
	}
}

// units are what a value is divided by and how the result is written.
var units = map[string]struct {
	by     float64
	digits int
}{"": {1, 0}, "s": {1e9, 3}, "ms": {1e6, 3}, "us": {1e3, 1}, "ns": {1, 2}, "MB": {1e6, 1}, "million": {1e6, 2}, "ratio": {1, 3}}

// Pivot returns a table with a line for each combination of the fields by, a column for each
// of the fields across, and in its cells the median of the field value by per, in a unit: s, ms,
// us or ns of nanoseconds, MB of bytes, million, ratio, or "". It fails if no line has all the
// fields.
func Pivot(lines []Fields, by, across []string, value, unit string, per float64) (string, error) {
	u, ok := units[unit]
	if !ok {
		return "", fmt.Errorf("results: no unit is called %q", unit)
	}
	var rows, columns []string
	cells := map[[2]string][]float64{}
	for _, f := range lines {
		row, okRow := f.join(by, " | ")
		column, okColumn := f.join(across, ", ")
		x, err := strconv.ParseFloat(f[value], 64)
		if !okRow || !okColumn || err != nil {
			continue
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		k := [2]string{row, column}
		cells[k] = append(cells[k], x/u.by/per)
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("results: no line has %s, %s and %s", strings.Join(by, ", "), strings.Join(across, ", "), value)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |\n%s%s|\n", strings.Join(by, " | "), strings.Join(columns, " | "), strings.Repeat("|---", len(by)), strings.Repeat("|--:", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, column := range columns {
			text := ""
			if v := cells[[2]string{row, column}]; v != nil {
				text = strconv.FormatFloat(measure.Median(v), 'f', u.digits, 64)
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// join returns the values of some fields; ok is false if one of them is missing.
func (f Fields) join(names []string, sep string) (text string, ok bool) {
	values := make([]string, len(names))
	for i, n := range names {
		if values[i], ok = f[n]; !ok {
			return "", false
		}
	}
	return strings.Join(values, sep), true
}
