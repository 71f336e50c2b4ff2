package copy

import (
	"io"
	"math"
)

// blockBytes is how much input is indexed at a time: little enough to stay in the L2
// cache with its index and the values made of it, much enough that a kernel call and a
// read cost nothing per record.
const blockBytes = maxKernelBytes

// slackBytes lie behind a block's bytes: room for a record end that the file lacks.
const slackBytes = 2

// maxRecordBytes bounds one record: positions in a block are 32 bits.
const maxRecordBytes = math.MaxUint32 - 2*blockBytes

// reader hands out the records of one range of a file, or of bytes in memory, in
// blocks. One goroutine owns it; its buffers outlive a range.
//
// The invariant between calls: b starts at a record start; done records of it were taken,
// and of those behind them ready are complete and can be decoded.
type reader struct {
	dec  Decoder
	size int // bytes to index at a time: blockBytes, in tests less

	src   io.ReaderAt // nil if mem holds the input
	mem   []byte      // whole input, with slackBytes of capacity behind it
	buf   []byte      // storage of b, if src is set
	base  int64       // offset of b[0] in the file
	limit int64       // reading stops here
	last  bool        // limit is the end of the file

	b        []byte
	done     int  // records that were taken
	ready    int  // records that can be taken
	bad      bool // the record behind them fails
	fresh    bool // nothing was taken since b was indexed
	complete bool // b reaches limit

	clock *clock
}

// reset points r at the records that start at off; it must be a record's start.
func (r *reader) reset(l *Layout, src io.ReaderAt, mem []byte, off, limit int64, last bool) {
	r.dec.Begin(l)
	r.src, r.mem, r.base, r.limit, r.last = src, mem, off, limit, last
	r.b = r.b[:0]
	if src == nil {
		r.b = mem[off:off]
	}
	r.done, r.ready, r.bad, r.fresh, r.complete = 0, 0, false, false, false
}

// offsetOf returns where in the file the record k of those not yet taken starts.
func (r *reader) offsetOf(k int) int64 {
	if r.done+k == 0 {
		return r.base
	}
	return r.base + int64(r.dec.End(r.done+k))
}

// offset returns where in the file the next record starts.
func (r *reader) offset() int64 { return r.offsetOf(0) }

// slice returns what b has from offset from to offset to, those of records of the block.
func (r *reader) slice(from, to int64) []byte {
	return r.b[min(from-r.base, int64(len(r.b))):min(to-r.base, int64(len(r.b)))]
}

// next returns how many records, of want, are to be decoded next, the first of which becomes
// row at of the fragment. None means that the next record is bad, unfinished, or not there.
func (r *reader) next(want, at int) (n int, err error) {
	if r.ready == 0 || r.ready < min(want, 64) && !r.fresh {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	if n = min(r.ready, want); n < want {
		// End on a whole bitmap word where that costs little.
		if m := (at+n)&^63 - at; m > n/2 {
			n = m
		}
	}
	return n, nil
}

// took notes that n records were taken.
func (r *reader) took(n int) {
	r.done += n
	r.ready -= n
	r.fresh = false
}

// fill drops what was taken, reads more, and indexes the block.
func (r *reader) fill() error {
	for {
		if r.bad || r.complete {
			return nil
		}
		if err := r.read(); err != nil {
			return err
		}
		r.clock.enter(StageConvert)
		r.ready, r.bad = r.dec.Index(r.b, r.complete && r.last)
		if r.ready > 0 || r.bad || r.complete {
			r.fresh = true
			return nil
		}
		if len(r.b) > maxRecordBytes {
			r.bad = true
			return nil
		}
	}
}

// read makes b start at the next record and reach further than before.
func (r *reader) read() error {
	start := 0
	if r.done > 0 {
		start = r.dec.End(r.done)
	}
	tail := r.b[start:]
	r.base += int64(start)
	r.done = 0
	size := r.size
	for size < 2*len(tail) {
		size *= 2
	}
	n := int(min(int64(size), r.limit-r.base))
	r.complete = r.base+int64(n) == r.limit
	if r.src == nil {
		r.b = r.mem[r.base : r.base+int64(n)]
		return nil
	}
	r.clock.enter(StageRead)
	if cap(r.buf) < n+slackBytes {
		grown := make([]byte, size+slackBytes)
		copy(grown, tail)
		r.buf = grown
	} else {
		copy(r.buf[:len(tail)], tail)
	}
	r.b = r.buf[:n]
	got, err := io.ReadFull(io.NewSectionReader(r.src, r.base+int64(len(tail)), int64(n-len(tail))), r.b[len(tail):])
	r.clock.bytes[StageRead] += int64(got)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errShrunk
	}
	return err
}
