package arrowipc

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// arena hands out memory that is given back as a whole. What it gives out stays what it is
// until reset, also when it takes more memory in between.
type arena struct {
	buf   []byte
	used  int
	total int
}

// take returns n bytes, not zeroed, that lie where any value may.
func (a *arena) take(n int) []byte {
	n8 := (n + 63) &^ 63
	a.total += n8
	if a.used+n8 > len(a.buf) {
		a.buf, a.used = aligned(max(n8, 2*len(a.buf), 64<<10)), 0
	}
	b := a.buf[a.used : a.used+n : a.used+n8]
	a.used += n8
	return b
}

// arenas are those that nobody uses.
var arenas = sync.Pool{New: func() any { return new(arena) }}

// reset takes everything back.
func (a *arena) reset() {
	if a.total > len(a.buf) {
		a.buf = aligned(a.total)
	}
	a.used, a.total = 0, 0
}

// aligned returns n bytes that start on a multiple of eight.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// body is where the buffers of a message are: in memory, or else in r from base on.
type body struct {
	mem  []byte
	r    io.ReaderAt
	base int64
}

// source gives the bytes of the buffers of one batch.
type source struct {
	body
	lay   *layout
	at    int64     // of the message
	plain *unpacked // what was decompressed; nil if nothing is compressed
	arena *arena    // of one Read
	taken int64     // bytes that were handed out
}

// unpacked is the buffers of a batch that were decompressed, for all its forks.
type unpacked struct {
	once  []sync.Once
	plain [][]byte
	errs  []error
	left  atomic.Int64 // bytes that may still be made
}

func newUnpacked(buffers int) *unpacked {
	u := &unpacked{once: make([]sync.Once, buffers), plain: make([][]byte, buffers), errs: make([]error, buffers)}
	u.left.Store(maxUnpacked)
	return u
}

// private reports whether the bytes that are read are the caller's own.
func (s *source) private() bool { return s.mem == nil && s.lay.codec == codecNone }

// size returns the bytes of buffer i.
func (s *source) size(i int) (int64, error) {
	if s.lay.codec == codecNone {
		return s.lay.buffers[i].n, nil
	}
	b, err := s.unpack(i)
	return int64(len(b)), err
}

// read is part for values: they start on a multiple of eight.
func (s *source) read(i int, from, n int64) ([]byte, error) {
	b, err := s.part(i, from, n)
	if err == nil && uintptr(unsafe.Pointer(unsafe.SliceData(b)))&7 != 0 {
		b = append(s.arena.take(len(b))[:0], b...)
	}
	return b, err
}

// part returns bytes from to from+n of buffer i, which must be there. They stay until the
// next Read of the batch.
func (s *source) part(i int, from, n int64) ([]byte, error) {
	size, err := s.size(i)
	if err != nil {
		return nil, err
	}
	if from < 0 || n < 0 || from > size || n > size-from {
		return nil, damaged(s.at, "a buffer has %d bytes and %d are needed", size, from+n)
	}
	if n == 0 {
		return nil, nil
	}
	s.taken += n
	if s.lay.codec != codecNone {
		return s.plain.plain[i][from : from+n], nil
	}
	at := s.lay.buffers[i].at + from
	if s.mem != nil {
		return s.mem[at : at+n], nil
	}
	b := s.arena.take(int(n))
	if _, err := s.r.ReadAt(b, s.base+at); err != nil {
		return nil, readError(err)
	}
	return b, nil
}

// errChanged is the error for a file that is not what it was when it was opened.
func errChanged() error {
	return pgerr.New(pgerr.ObjectNotInState, "the file was changed while being read").
		WithHint("Nothing was stored. Run the statement again when nobody writes to the file.")
}

// readError is the error for bytes that an input does not give. It had them when its size
// was asked for.
func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errChanged()
	}
	return err
}

// unpack returns buffer i, decompressed. It is decompressed once, whoever asks first.
func (s *source) unpack(i int) ([]byte, error) {
	u := s.plain
	u.once[i].Do(func() { u.plain[i], u.errs[i] = s.decompress(i) })
	return u.plain[i], u.errs[i]
}

// decompress is unpack without a memory.
func (s *source) decompress(i int) ([]byte, error) {
	e := s.lay.buffers[i]
	if e.n == 0 {
		return nil, nil
	}
	if e.n < 8 {
		return nil, damaged(s.at, "a compressed buffer has %d bytes", e.n)
	}
	packed, err := s.packed(e)
	if err != nil {
		return nil, err
	}
	claim, plain, err := s.claimed(i, packed)
	if packed = packed[8:]; plain || err != nil {
		return packed, err
	}
	if s.plain.left.Add(-claim) < 0 {
		return nil, pgerr.New(pgerr.ProgramLimitExceeded, "a compressed batch of the Arrow data becomes more than %d bytes", int64(maxUnpacked)).
			WithHint("Write it in smaller batches, or without compression.")
	}
	out, err := unpack(aligned(int(claim)), packed, s.lay.codec)
	if err != nil || int64(len(out)) != claim {
		return nil, damaged(s.at, "a compressed buffer cannot be decompressed")
	}
	return out, nil
}

// claimed returns what compressed buffer i, which begins with head, says that it becomes:
// no more than its codec can do. plain is true if it is as it was.
func (s *source) claimed(i int, head []byte) (n int64, plain bool, err error) {
	packed := s.lay.buffers[i].n - 8
	n = int64(binary.LittleEndian.Uint64(head))
	if n == -1 {
		return packed, true, nil
	}
	if n < 0 || n > s.lay.most(i) {
		return 0, false, damaged(s.at, "a buffer claims that %d bytes become %d", packed, n)
	}
	return n, false, nil
}

// claim is claimed for a buffer that is not read, in a body that is not in memory.
func (s *source) claim(i int) (int64, error) {
	e := s.lay.buffers[i]
	if e.n < 8 {
		return 0, nil
	}
	head := make([]byte, 8)
	if _, err := s.r.ReadAt(head, s.base+e.at); err != nil {
		return 0, readError(err)
	}
	n, _, err := s.claimed(i, head)
	return n, err
}

// maxUnpacked is what the wanted columns of one compressed batch may take in memory.
const maxUnpacked = 4 << 30

// packed returns the bytes of a buffer as they are in the body.
func (s *source) packed(e extent) ([]byte, error) {
	if s.mem != nil {
		return s.mem[e.at : e.at+e.n], nil
	}
	b := aligned(int(e.n))
	if _, err := s.r.ReadAt(b, s.base+e.at); err != nil {
		return nil, readError(err)
	}
	return b, nil
}

// zstdDecoder decodes whole buffers, for any number of goroutines.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
})

// unpack decompresses packed into dst and returns what it became, which is not longer.
func unpack(dst, packed []byte, codec int) ([]byte, error) {
	if codec == codecLZ4 {
		n, err := unpackLZ4(dst, packed)
		return dst[:n], err
	}
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(packed, dst[:0:len(dst)])
}
