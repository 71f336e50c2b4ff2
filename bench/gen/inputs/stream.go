package inputs

import (
	"hash/fnv"
	"math/bits"
)

// stream is a sequence of random numbers: a counter in steps of an odd constant, each value
// mixed by two multiplications (splitmix64). It has no copy in the standard library whose
// output is promised to stay.
type stream struct{ state uint64 }

// newStream returns the stream of the named input.
func newStream(name string) *stream {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &stream{h.Sum64()}
}

func (s *stream) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number in [0, n).
func (s *stream) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// percent reports true n times in a hundred.
func (s *stream) percent(n int) bool { return s.below(100) < n }
