package kernels

import (
	"fmt"
	"math"
)

// Structure is what IndexStructure found in a block.
type Structure struct {
	// Seps is the number of delim and eol bytes outside quotes: of positions stored.
	Seps int

	// Ends is the number of eol bytes outside quotes.
	Ends int

	// Others is the number of bytes outside quotes that equal other.
	Others int

	// Quotes is the number of quote bytes.
	Quotes int

	// InQuote is whether the block ends inside quotes.
	InQuote bool
}

// IndexStructure stores in dst[0:Seps], in increasing order, the position in b of every
// delim and every eol byte outside quotes, and sets bit i of quoteBits iff b[i] is quote.
//
// A byte is outside quotes if the number of quote bytes before it in b is even, or odd if
// inQuote says that b starts inside. other is a byte to count outside quotes, such as the
// line break that should not occur; it may equal delim or eol.
//
// quote == eol means that there is no quote byte: quoteBits becomes zero, Quotes is 0 and
// the whole of b is in the state inQuote.
//
// len(dst) must be at least len(b), and dst[Seps:len(b)] holds arbitrary values
// afterwards; nothing past dst[len(b)-1] is written. len(quoteBits) must be at least
// (len(b)+63)/64; these words are overwritten, with zeros past bit len(b)-1, and no
// others. delim must differ from quote and eol, and other from quote unless quote is
// eol. len(b) must fit in 32 bits. Anything else panics. No byte outside b is read at any
// level. Callers bound b to about 64 KiB so the goroutine stays preemptible. The result
// is the same at every Level; indexStructureRef is the definition.
func IndexStructure(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, inQuote bool) Structure {
	if delim == quote || delim == eol || (other == quote && quote != eol) {
		panic(fmt.Sprintf("kernels: IndexStructure: one byte in two roles: delim %#02x, quote %#02x, eol %#02x, other %#02x", delim, quote, eol, other))
	}
	if uint64(len(b)) > math.MaxUint32 {
		panic(fmt.Sprintf("kernels: IndexStructure: %d bytes have no 32-bit positions", len(b)))
	}
	words := (len(b) + 63) / 64
	if len(dst) < len(b) || len(quoteBits) < words {
		panic(fmt.Sprintf("kernels: IndexStructure: room for %d positions and %d words, %d bytes need %d and %d", len(dst), len(quoteBits), len(b), len(b), words))
	}
	return indexStructure(dst[:len(b)], quoteBits[:words], b, delim, quote, eol, other, inQuote)
}

// indexTail completes s, which describes the first from bytes of b, from as a multiple of
// 64, by the bytes after them.
func (s Structure) indexTail(dst []uint32, quoteBits []uint64, b []byte, from int, delim, quote, eol, other byte) Structure {
	positions := dst[s.Seps:]
	t := indexStructureRef(positions, quoteBits[from/64:], b[from:], delim, quote, eol, other, s.InQuote)
	for i := range positions[:t.Seps] {
		positions[i] += uint32(from)
	}
	return Structure{
		Seps:    s.Seps + t.Seps,
		Ends:    s.Ends + t.Ends,
		Others:  s.Others + t.Others,
		Quotes:  s.Quotes + t.Quotes,
		InQuote: t.InQuote,
	}
}
