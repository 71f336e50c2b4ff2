package copy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// sifting is one random COPY whose rows are not all stored, and what must come of it.
type sifting struct {
	input   string
	onError OnError
	limit   int64 // REJECT_LIMIT; 0 none
	where   bool  // WHERE a IS NULL OR a % 3 <> 0
	notNull bool  // of a
	check   bool  // CHECK (a <> 100)

	rows     [][]string
	skipped  int64
	nulled   int64
	excluded int64
	notices  []string
	failLine int64 // 0: none
	failCode string
}

// newSifting makes the input, column by column "a int4, b text, c int2", and carries it out
// one record at a time.
func newSifting(rng *rand.Rand) *sifting {
	s := &sifting{onError: OnError(rng.IntN(3)), where: rng.IntN(2) == 0, notNull: rng.IntN(4) == 0, check: rng.IntN(4) == 0}
	if s.onError == ErrorIgnore && rng.IntN(2) == 0 {
		s.limit = 1 + rng.Int64N(40)
	}
	var b strings.Builder
	rare := 1 + rng.IntN(400)
	line := int64(0)
	for range rng.IntN(600) {
		a, text, c := strconv.Itoa(rng.IntN(99)), fmt.Sprint("t", rng.IntN(50)), strconv.Itoa(rng.IntN(9))
		if rng.IntN(3) == 0 && s.onError != ErrorStop {
			a = "x" + a
		}
		if rng.IntN(20) == 0 && s.onError != ErrorStop {
			c = "99999"
		}
		if rng.IntN(3) == 0 && (!s.notNull || rng.IntN(rare) == 0) {
			a = ""
		}
		if rng.IntN(rare) == 0 {
			a = "100"
		}
		if rng.IntN(5) == 0 {
			text = "\"two\nlines\""
			line++
		}
		line++
		fmt.Fprintf(&b, "%s,%s,%s\n", a, text, c)
		s.record(line, a, text, c)
	}
	s.input = b.String()
	return s
}

// record carries out the record that ends on line.
func (s *sifting) record(line int64, a, text, c string) {
	if s.failLine != 0 {
		return
	}
	before := len(s.notices)
	fail := func(code string) { s.failLine, s.failCode, s.notices = line, code, s.notices[:before] }
	bad := 0
	take := func(column, v string, bits int) string {
		if v == "" || s.onError == ErrorIgnore && bad > 0 {
			return null
		}
		if _, err := strconv.ParseInt(v, 10, bits); err == nil {
			return v
		}
		bad++
		what := "skipping row"
		if s.onError == ErrorSetNull {
			what = "setting to null"
		}
		s.notices = append(s.notices, fmt.Sprintf("%s due to data type incompatibility at line %d for column \"%s\": \"%s\"", what, line, column, v))
		return null
	}
	a = take("a", a, 32)
	c = take("c", c, 16)
	if bad > 0 && s.onError == ErrorSetNull {
		s.nulled++
	}
	if bad > 0 && s.onError == ErrorIgnore {
		if s.skipped++; s.limit > 0 && s.skipped > s.limit {
			fail(pgerr.InvalidTextRepresentation)
		}
		return
	}
	if n, _ := strconv.Atoi(a); s.where && a != null && n%3 == 0 {
		s.excluded++
		return
	}
	switch {
	case s.notNull && a == null:
		fail(pgerr.NotNullViolation)
	case s.check && a == "100":
		fail(pgerr.CheckViolation)
	}
	s.rows = append(s.rows, []string{a, strings.Trim(text, `"`), c})
}

func (s *sifting) options() string {
	o := "FORMAT csv, LOG_VERBOSITY verbose, ON_ERROR " + []string{"stop", "ignore", "set_null"}[s.onError]
	if s.limit > 0 {
		o += fmt.Sprint(", REJECT_LIMIT ", s.limit)
	}
	return o
}

func (s *sifting) run(t *testing.T, store *columnar.Store, stream bool, env Env) {
	schema := textSchema(t, "a int4, b text, c int2")
	schema.Columns[0].NotNull = s.notNull
	target := createTable(t, store, schema)
	defer dropTable(t, store)
	if s.where {
		target.Where = func(n int, col func(int) columnar.Vec, keep []uint64) (int, error) {
			v := col(0)
			for i := range n {
				if !v.IsNull(i) && v.Int32s()[i]%3 == 0 {
					keep[i>>6] &^= 1 << (i & 63)
				}
			}
			return n, nil
		}
	}
	if s.check {
		target.Check = func(w *columnar.FragmentWriter, from, to int) (int, error) {
			for i, v := range w.Cols[0].Int32s()[from:to] {
				if v == 100 {
					return from + i, pgerr.New(pgerr.CheckViolation, "new row violates check constraint")
				}
			}
			return to, nil
		}
	}
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH ("+s.options()+")"))
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	env.Notice = func(n string) { notices = append(notices, n) }
	env.Progress = new(Progress)
	src := FromReader(strings.NewReader(s.input), "stdin")
	if !stream {
		src = FromFiles(writeFile(t, "in.csv", s.input))
	}
	res, err := From(context.Background(), store, target, src, opt, env)
	rows := readTable(t, store)
	if s.failLine != 0 {
		if e := wantState(t, err, s.failCode); e.Line != s.failLine {
			t.Fatalf("%v: line %d, want %d", e, e.Line, s.failLine)
		}
		if len(rows) > 0 || !slices.Equal(notices, s.notices) {
			t.Fatalf("%d rows, notices %q, want %q", len(rows), notices, s.notices)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	compareRows(t, rows, s.rows)
	if int(res.Rows) != len(rows) || res.Skipped != s.skipped || res.SetNull != s.nulled || res.Excluded != s.excluded {
		t.Fatalf("result %+v, want %+v", res, s)
	}
	p := env.Progress
	if p.TuplesProcessed.Load() != res.Rows || p.TuplesSkipped.Load() != s.skipped || p.TuplesExcluded.Load() != s.excluded ||
		p.BytesProcessed.Load() != int64(len(s.input)) {
		t.Fatalf("progress %d %d %d %d, want %+v", p.TuplesProcessed.Load(), p.TuplesSkipped.Load(), p.TuplesExcluded.Load(), p.BytesProcessed.Load(), s)
	}
	if len(notices) < len(s.notices) || !slices.Equal(notices[:len(s.notices)], s.notices) {
		t.Fatalf("notices %q, want %q", notices, s.notices)
	}
}

// TestSieve compares COPYs that leave records out with the same done one record at a time.
func TestSieve(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := newSifting(rng)
		store := newStore(t)
		for _, stream := range []bool{false, true} {
			env := Env{Files: AnyFile(), MaxWorkers: 1 + rng.IntN(9), BlockSize: 1 + rng.IntN(500), smallBytes: -1, readBytes: 16 + rng.IntN(300), MemoryLimit: rng.Int64N(2) * rng.Int64N(8000)}
			name := fmt.Sprintf("seed=%d,stream=%t", seed, stream)
			if !t.Run(name, func(t *testing.T) { s.run(t, store, stream, env) }) {
				t.Fatalf("%s: %d workers, blocks of %d and %d, where %t, not null %t, check %t, %s, input %q",
					name, env.MaxWorkers, env.BlockSize, env.readBytes, s.where, s.notNull, s.check, s.options(), s.input)
			}
		}
	}
}
