package inputs

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func text(t testing.TB, name string, rows int) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, name, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A changed hash means that results measured before can no longer be compared with new ones.
func TestSameBytesEverywhere(t *testing.T) {
	for name, c := range map[string]struct {
		rows int
		sum  string
	}{
		"ints10":  {2000, "074e536f8bda5c95"},
		"ints30":  {1000, "25c028f993ba278d"},
		"mixed":   {5000, "a4ea0632e3d2efdf"},
		"wide":    {3, "c36110734bc1b715"},
		"flights": {20000, "b2abb15218a4dff9"},
		"small89": {100, "994b548f772aff6e"},
	} {
		sum := sha256.Sum256([]byte(text(t, name, c.rows)))
		if got := hex.EncodeToString(sum[:8]); got != c.sum {
			t.Errorf("%s: %d rows hash to %s, want %s", name, c.rows, got, c.sum)
		}
	}
}

func TestShortFileIsTheStartOfALongOne(t *testing.T) {
	for _, name := range Names() {
		short, long := text(t, name, 7), text(t, name, 12)
		if !strings.HasPrefix(long, short) || len(long) == len(short) {
			t.Errorf("%s: 7 rows are not the start of 12", name)
		}
	}
}

// The sizes that the peers were measured with, in bytes; a sample of rows must come within 3 %.
func TestSizes(t *testing.T) {
	for name, total := range map[string]float64{
		"ints10": 458e6, "ints30": 204e6, "mixed": 441e6, "wide": 300e6, "flights": 106e6, "small89": 94e3,
	} {
		rows := min(DefaultRows(name), 20_000)
		if name == "wide" {
			rows = 50
		}
		got := float64(len(text(t, name, rows))) / float64(rows)
		want := total / float64(DefaultRows(name))
		if math.Abs(got-want) > want*0.03 {
			t.Errorf("%s: %.1f bytes a row, want %.1f", name, got, want)
		}
	}
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
var centsForm = regexp.MustCompile(`^-?[0-9]{1,10}\.[0-9]{2}$`)

// checkValue returns an error if v is not a value of the type, in the form that every reader of
// CSV takes.
func checkValue(typ, v string) error {
	var err error
	ok := true
	switch typ {
	case "bigint":
		_, err = strconv.ParseInt(v, 10, 64)
	case "integer":
		_, err = strconv.ParseInt(v, 10, 32)
	case "double precision":
		_, err = strconv.ParseFloat(v, 64)
	case "numeric(12,2)":
		ok = centsForm.MatchString(v)
	case "boolean":
		ok = v == "true" || v == "false"
	case "date":
		_, err = time.Parse(time.DateOnly, v)
	case "timestamp":
		_, err = time.Parse("2006-01-02 15:04:05.999999", v)
	case "uuid":
		ok = uuidForm.MatchString(v)
	case "text":
		ok = utf8.ValidString(v)
	default:
		err = errors.New("unknown type")
	}
	if !ok {
		err = errors.New("wrong form")
	}
	return err
}

func TestEveryFieldHasItsType(t *testing.T) {
	for _, in := range all {
		rows := min(in.rows, 5000)
		if in.name == "wide" {
			rows = 5
		}
		r := csv.NewReader(strings.NewReader(text(t, in.name, rows)))
		records, err := r.ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", in.name, err)
		}
		if len(records) != rows+1 {
			t.Fatalf("%s: %d records for %d rows", in.name, len(records), rows)
		}
		for i, c := range in.columns {
			if records[0][i] != c.name {
				t.Errorf("%s: header field %d is %q", in.name, i, records[0][i])
			}
		}
		for n, record := range records[1:] {
			if len(record) != len(in.columns) {
				t.Fatalf("%s: row %d has %d fields", in.name, n, len(record))
			}
			for i, v := range record {
				nullable := in.name == "mixed" && in.columns[i].name != "id" && in.columns[i].name != "category"
				if v == "" && nullable {
					continue
				}
				if err := checkValue(in.columns[i].typ, v); err != nil {
					t.Fatalf("%s: row %d, %s: %q: %v", in.name, n, in.columns[i].name, v, err)
				}
			}
		}
	}
}

func TestMixedHasEveryCase(t *testing.T) {
	s := text(t, "mixed", 20_000)
	for what, form := range map[string]string{
		"null at the end of a record":     `(?m),$`,
		"null between fields":             `,,`,
		"empty string":                    `,""\n`,
		"quoted comma":                    `"[^",\n]+, [^"\n]+"`,
		"doubled quote":                   `[^",]""[^",]`,
		"quoted line feed":                `"[^"\n]+\n[^"\n]+\n\n[^"\n]+"\n`,
		"quoted carriage return and feed": `"[^"\n]+\r\n[^"\n]+"\n`,
		"line feed before the last quote": `[a-z]\n"\n`,
		"negative integer":                `(?m)^[0-9]+,[a-z]+,-[0-9]`,
		"exponent":                        `[0-9]e[-+][0-9]`,
		"two-byte characters":             `é`,
		"four-byte characters":            `🙂`,
		"date before 1970":                `,196[0-9]-`,
	} {
		if !regexp.MustCompile(form).MatchString(s) {
			t.Errorf("no %s", what)
		}
	}
	types := map[string]bool{}
	for _, c := range mixedColumns {
		types[c.typ] = true
	}
	if len(mixedColumns) != 10 || len(types) != 9 {
		t.Errorf("%d columns of %d types", len(mixedColumns), len(types))
	}
}

func TestWideBodies(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(text(t, "wide", 4))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		if body := r[1]; len(body) != wideBytes || !strings.ContainsAny(body, "\n") || !strings.Contains(body, `"`) || !strings.Contains(body, ",") {
			t.Errorf("row %s: body of %d bytes", r[0], len(body))
		}
	}
}

// The sample has 200,000 departures in 12 days and 8 hours.
func TestFlightsFollowTheSample(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(text(t, "flights", 200_000))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	records = records[1:]
	last := ""
	delay, distance := 0, 0
	origins := map[string]int{}
	hours := [24]int{}
	for _, r := range records {
		if r[0] < last {
			t.Fatalf("%s comes after %s", r[0], last)
		}
		last = r[0]
		hour, _ := strconv.Atoi(r[0][11:13])
		hours[hour]++
		d, _ := strconv.Atoi(r[1])
		delay += d
		d, _ = strconv.Atoi(r[2])
		distance += d
		origins[r[3]]++
	}
	if last < "2001-01-13" || last > "2001-01-14" {
		t.Errorf("the last one leaves at %s", last)
	}
	c := loadFlights()
	for h, want := range c.hours {
		if got := hours[h]; math.Abs(float64(got-want)) > 60+0.1*float64(want) {
			t.Errorf("hour %d: %d departures, %d in the sample", h, got, want)
		}
	}
	// Means of the sample, computed from the file it was counted in.
	for what, c := range map[string][2]float64{
		"delay":    {float64(delay) / 200_000, 9.05},
		"distance": {float64(distance) / 200_000, 729.22},
		"ORD":      {float64(origins["ORD"]), 11_015},
		"airports": {float64(len(origins)), 223},
	} {
		if math.Abs(c[0]-c[1]) > 0.03*c[1] {
			t.Errorf("%s: %.2f, %.2f in the sample", what, c[0], c[1])
		}
	}
}

func TestSchema(t *testing.T) {
	if got, want := Schema("wide"), "CREATE TABLE wide (id integer, body text)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, name := range Names() {
		header, _, _ := strings.Cut(text(t, name, 0), "\n")
		if got, want := strings.Count(Schema(name), ", ")+1, strings.Count(header, ",")+1; got != want {
			t.Errorf("%s: %d columns in the schema, %d in the file", name, got, want)
		}
		if DefaultRows(name) == 0 {
			t.Errorf("%s: no default", name)
		}
	}
	if Schema("none") != "" || DefaultRows("none") != 0 {
		t.Error("an unknown input has a schema")
	}
}

func TestWriteErrors(t *testing.T) {
	if err := Write(io.Discard, "none", 1); err == nil || !strings.Contains(err.Error(), "small89") {
		t.Errorf("unknown name: %v", err)
	}
	if err := Write(io.Discard, "wide", -1); err == nil {
		t.Error("negative rows were taken")
	}
	for _, rows := range []int{0, 100_000} {
		if err := Write(failingWriter{}, "ints10", rows); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%d rows to a full disk: %v", rows, err)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func BenchmarkWrite(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			rows := min(DefaultRows(name), 100_000)
			if name == "wide" {
				rows = 100
			}
			b.SetBytes(int64(len(text(b, name, rows))))
			for range b.N {
				if err := Write(io.Discard, name, rows); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
