package copy

import (
	"math/bits"

	"github.com/ingotdb/ingot/columnar"
)

// sieve says which records of a batch do not become rows. It exists only if ON_ERROR or
// WHERE may leave some out; without it a record that cannot be stored ends the COPY.
//
// All records of a batch are converted at provisional places. Those that are left out are
// then closed up in every column, so that no hole is ever published, and what follows,
// NOT NULL and CHECK among it, sees only rows that stay.
//
// Bits are of the records of the batch, from 0.
type sieve struct {
	onError OnError
	filter  FilterFunc

	bad  []uint64   // a value was not taken by its type
	keep []uint64   // the record becomes a row
	lack [][]uint64 // by schema position, of a column that must not be null: it is; nil if none is
	rows []int32    // the records that became rows, if some did not
	all  bool       // all of them did

	excluded int64 // by WHERE, of the last batch
}

// FilterFunc tests a WHERE on n rows, which is at most the rows of a batch. col gives a column by
// its position in the schema. keep has a bit for each row: rows whose bit is not set must
// not be looked at; the bits of rows for which the condition is not true are cleared. An
// error is that of the first row that has one.
type FilterFunc func(n int, col func(pos int) columnar.Vec, keep []uint64) (row int, err error)

// newSieve returns the sieve of a COPY, or nil if no record may be left out.
func newSieve(sh *shape) *sieve {
	if sh.onError == ErrorStop && sh.filter == nil {
		return nil
	}
	return &sieve{onError: sh.onError, filter: sh.filter, lack: make([][]uint64, len(sh.schema.Columns))}
}

// begin prepares for a batch of n records.
func (s *sieve) begin(n int) {
	words := (n + 63) / 64
	if len(s.bad) < words {
		s.bad, s.keep = make([]uint64, words), make([]uint64, words)
	}
	clear(s.bad[:words])
	clear(s.lack)
	s.excluded = 0
}

// passes reports whether record r goes on although one of its values is not stored: if
// the record is left out already, or if value says that only its type does not take the
// value and ON_ERROR forgives that.
func (s *sieve) passes(r int, value bool) bool {
	switch {
	case s == nil || s.onError == ErrorStop:
		return false
	case s.onError == ErrorIgnore && s.bad[r>>6]>>(r&63)&1 != 0:
		return true
	case value:
		s.bad[r>>6] |= 1 << (r & 63)
	}
	return value
}

// lacks notes where the column at pos is null and must not be. The record fails for it
// only if it becomes a row.
func (s *sieve) lacks(pos int, null []uint64) {
	for _, b := range null {
		if b != 0 {
			s.lack[pos] = append([]uint64(nil), null...)
			return
		}
	}
}

// lacksAll is lacks for a column that is null in all of n records.
func (s *sieve) lacksAll(pos, n int) {
	s.lack[pos] = make([]uint64, (n+63)/64)
	setBits(s.lack[pos], n)
}

// setBits sets the first n bits of words and clears the others.
func setBits(words []uint64, n int) {
	for w := range words {
		switch left := n - w<<6; {
		case left >= 64:
			words[w] = ^uint64(0)
		case left > 0:
			words[w] = 1<<left - 1
		default:
			words[w] = 0
		}
	}
}

func countBits(words []uint64) (n int) {
	for _, b := range words {
		n += bits.OnesCount64(b)
	}
	return n
}

// firstBit returns the first of n bits that is set, or n.
func firstBit(words []uint64, n int) int {
	for w, b := range words {
		if b != 0 {
			return min(n, w<<6+bits.TrailingZeros64(b))
		}
	}
	return n
}

// sift leaves out what is to be left out of the n records of the batch, which are stored,
// and returns the first record that fails, or n. r.stored is then the number of rows.
func (r *Rows) sift(n int) int {
	s := r.sieve
	keep := s.keep[:(n+63)/64]
	setBits(keep, n)
	if s.onError == ErrorIgnore {
		for w := range keep {
			keep[w] &^= s.bad[w]
		}
	}
	if s.filter != nil {
		before := countBits(keep)
		if before > 0 {
			row, err := s.filter(n, func(pos int) columnar.Vec { return r.vec(pos, r.at, n) }, keep)
			if err != nil {
				r.checkErr, r.checkRow = err, r.at+row
				r.stored = 0
				return row
			}
		}
		s.excluded = int64(before - countBits(keep))
	}
	r.stored = countBits(keep)
	if s.all = r.stored == n; !s.all {
		s.rows = s.rows[:0]
		for w, b := range keep {
			for ; b != 0; b &= b - 1 {
				s.rows = append(s.rows, int32(w<<6+bits.TrailingZeros64(b)))
			}
		}
		for i := range r.out.Cols {
			closeRows(&r.out.Cols[i], r.at, n, s.rows)
		}
	}
	fails := r.stored
	for _, lack := range s.lack {
		if lack != nil {
			if !s.all {
				closeBits(lack, 0, n, s.rows)
			}
			fails = min(fails, firstBit(lack, fails))
		}
	}
	if r.sh.check != nil && fails > 0 {
		if row, err := r.sh.check(r.out, r.at, r.at+fails); err != nil {
			fails = row - r.at
			r.checkErr, r.checkRow = err, r.at+s.record(fails)
		}
	}
	if fails == r.stored {
		return n
	}
	return s.record(fails)
}

// record returns the record of the batch that became its row k.
func (s *sieve) record(k int) int {
	if s.all {
		return k
	}
	return int(s.rows[k])
}

// vec returns rows at to at+n of a column as they are now. Where a column must not be
// null and is, so it shows.
func (r *Rows) vec(pos, at, n int) columnar.Vec {
	b := &r.out.Cols[pos]
	if lack := r.sieve.lack[pos]; lack != nil {
		valid := make([]uint64, (at+n+63)/64)
		for i := range n {
			if lack[i>>6]>>(i&63)&1 == 0 {
				valid[(at+i)>>6] |= 1 << ((at + i) & 63)
			}
		}
		v := columnar.MakeVec(b.Type, at+n, valid, b.Fixed, b.Bits, b.Offsets, b.Data, b.NaN)
		return v.Slice(at, n)
	}
	v := columnar.MakeVec(b.Type, at+n, b.Valid, b.Fixed, b.Bits, b.Offsets, b.Data, b.NaN)
	return v.Slice(at, n)
}

// closeRows moves the given ones of rows at to at+n of a column, counted from at, to its
// rows from at on, and makes the rest what it is before anything is stored.
func closeRows(b *columnar.ColumnBuf, at, n int, rows []int32) {
	closeBits(b.Valid, at, n, rows)
	closeBits(b.Bits, at, n, rows)
	closeBits(b.NaN, at, n, rows)
	if b.Offsets != nil {
		o := b.Offsets[at:]
		end := o[0]
		for k, r := range rows {
			from, to := o[r], o[r+1]
			end += int32(copy(b.Data[end:], b.Data[from:to]))
			o[k+1] = end
		}
		b.Data = b.Data[:end]
		return
	}
	w := b.Type.Width()
	if w == 0 {
		return
	}
	fixed := b.Fixed[at*w : (at+n)*w]
	for k, r := range rows {
		copy(fixed[k*w:(k+1)*w], fixed[int(r)*w:])
	}
	clear(fixed[len(rows)*w:])
}

// closeBits is closeRows for a bitmap, which may be nil.
func closeBits(words []uint64, at, n int, rows []int32) {
	if words == nil {
		return
	}
	put := func(i int, set uint64) { words[i>>6] = words[i>>6]&^(1<<(i&63)) | set<<(i&63) }
	for k, r := range rows {
		i := at + int(r)
		put(at+k, words[i>>6]>>(i&63)&1)
	}
	for i := at + len(rows); i < at+n; i++ {
		put(i, 0)
	}
}
