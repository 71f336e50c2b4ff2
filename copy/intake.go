package copy

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
)

// Rows is where a Decoder stores the records of a batch: record i becomes row At()+i.
// One goroutine owns it.
type Rows struct {
	sh    *shape
	out   *columnar.FragmentWriter
	at    int
	sieve *sieve // nil if no record may be left out

	stored   int   // rows that the last batch became
	checkErr error // of row checkRow of the fragment
	checkRow int
}

// At returns the row that the first record of the batch becomes.
func (r *Rows) At() int { return r.at }

// Column returns where the values of Binding.Columns[i] go. Rows of a batch may be written
// in any order, but those of variable-length columns one after the other: a row without a
// value repeats the offset. What was not written yet is zero. Valid is not the decoder's:
// Nulls sets it.
func (r *Rows) Column(i int) *columnar.ColumnBuf { return &r.out.Cols[r.sh.fields[i].Pos] }

// Nulls ends column i of the batch: all n records have a value but those whose bit is set
// in null, whose words are used up. It returns the first record that must not be NULL
// and is, or n: no more records are decoded. Every column must be ended.
func (r *Rows) Nulls(i, n int, null []uint64) int {
	words := (n + 63) / 64
	if n == 0 {
		return 0
	}
	f := &r.sh.fields[i]
	buf := &r.out.Cols[f.Pos]
	if buf.Valid == nil {
		if r.sieve != nil {
			r.sieve.lacks(f.Pos, null[:words])
			return n
		}
		return firstBit(null[:words], n)
	}
	for w, b := range null[:words] {
		null[w] = ^b
	}
	if n&63 != 0 {
		null[words-1] &= 1<<(n&63) - 1
	}
	bitmap.Or(buf.Valid, r.at, null, 0, n)
	return n
}

// Forgive asks whether record i of the batch goes on without a value that its column does
// not take. If so the value must be NULL; if not the record fails. value says that nothing
// but the type is in the way, which is all that ON_ERROR forgives; without it the answer is
// whether the record was left out already.
func (r *Rows) Forgive(i int, value bool) bool { return r.sieve.passes(i, value) }

// Parse stores text as the value of column col and record i, read as PostgreSQL's input of
// the type does, and reports whether it is one. If it is not the column is as Null leaves it.
func (r *Rows) Parse(col, i int, text []byte) bool {
	buf := r.Column(col)
	p, before := parser{location: r.sh.location}, len(buf.Data)
	if p.store(buf, r.at+i, text) == ok {
		return true
	}
	buf.Data = buf.Data[:before]
	r.Null(col, i)
	return false
}

// Null passes over record i of column col, which has no value there; that it is NULL is for
// Nulls to say.
func (r *Rows) Null(col, i int) {
	if buf := r.Column(col); buf.Offsets != nil {
		buf.Offsets[r.at+i+1] = int32(len(buf.Data))
	}
}

// checkError returns what a CHECK said about row of the fragment, if it was asked.
func (r *Rows) checkError(row int) error {
	if r.checkErr != nil && r.checkRow == row {
		return r.checkErr
	}
	return nil
}

// take makes rows from row at on of the next n records of dec, and returns how many records
// were taken; r.stored is the number of rows. failed says that the record behind them
// fails, for whatever reason: which, is for explain to say.
func (r *Rows) take(dec Decoder, n, at int) (taken int, failed bool) {
	r.at = at
	if r.sieve != nil {
		r.sieve.begin(n)
	}
	done, good := dec.Decode(r, n)
	if done <= 0 || done > n {
		r.stored = 0
		return 0, true
	}
	taken, failed = r.complete(done)
	return taken, failed || !good
}

// complete does with n records whose fields are stored what is the same for every source:
// the columns that the input does not fill, WHERE, NOT NULL, CHECK. It returns as take does.
func (r *Rows) complete(n int) (taken int, failed bool) {
	for i := range r.sh.consts {
		k := &r.sh.consts[i]
		switch {
		case !k.notNull:
		case r.sieve == nil:
			r.stored = 0
			return 0, true
		default:
			r.sieve.lacksAll(k.pos, n)
		}
		r.out.Cols[k.pos].FillConst(r.at, r.at+n, k.value)
	}
	if r.sieve != nil {
		taken = r.sift(n)
		return taken, taken < n
	}
	r.stored = n
	if r.sh.check != nil {
		if row, err := r.sh.check(r.out, r.at, r.at+n); err != nil {
			r.checkErr, r.checkRow = err, row
			n = min(n, row-r.at)
			return n, true
		}
	}
	return n, false
}
