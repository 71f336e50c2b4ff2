package arrowipc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// seeds gives small inputs of every kind to add.
func seeds(t testing.TB, add func([]byte)) {
	for _, b := range samples(t) {
		add(b)
	}
	if os.Getenv("INGOT_SUITES") == "" {
		return
	}
	for _, dir := range []string{"arrow-ipc-file", "arrow-ipc-stream"} {
		names, root := suite(t, dir)
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			if len(b) < 8<<10 {
				add(b)
			}
		}
	}
}

// FuzzRead looks for input that makes the reader panic, hand out an array that is not
// sound, or allocate more than the bytes justify, and that reads differently in pieces.
func FuzzRead(f *testing.F) {
	seeds(f, func(b []byte) { f.Add(b) })
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		checkInput(t, b)
	})
}

func checkInput(t *testing.T, b []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := Open(bytes.NewReader(b), int64(len(b)))
	if err == nil && x.Rows() <= 1<<16 {
		list, _ := readable(x.Columns())
		for i := range x.Blocks() {
			batch, err := x.Batch(i, list)
			if err != nil {
				break
			}
			if err := checkPieces(batch); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := readStream(bytes.NewReader(b)); errors.Is(err, errUnsound) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<30 {
		t.Errorf("%d bytes of input allocate %d", len(b), used)
	}
}

// checkPieces compares a batch that can be read as a whole with its pieces, which start
// where a bitmap's word does and elsewhere.
func checkPieces(b *Batch) error {
	whole, err := b.Read(0, b.Rows())
	if err != nil {
		return nil
	}
	if err := touch(whole); err != nil {
		return err
	}
	for _, step := range []int64{3, 64} {
		from := int64(0)
		pieces := b.Fork()
		err := readSteps(pieces, step, func(arrays []arrow.Array) error {
			if from >= 1<<8 {
				return errors.ErrUnsupported
			}
			for i, a := range arrays {
				want := array.NewSlice(whole[i], from, from+int64(a.Len()))
				if got, want := fmt.Sprint(a), fmt.Sprint(want); got != want {
					return fmt.Errorf("%s, rows from %d in steps of %d: %.500s, as a whole %.500s", b.fields[i].words, from, step, got, want)
				}
			}
			from += step
			return touch(arrays)
		})
		pieces.Close()
		if err != nil && err != errors.ErrUnsupported {
			return err
		}
	}
	return nil
}

// TestMutations changes bytes of good inputs, one to four at a time: the reader may refuse
// or read something else, no more.
func TestMutations(t *testing.T) {
	const seed = 18
	rng := rand.New(rand.NewPCG(seed, 1))
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	for _, good := range samples(t) {
		for range rounds {
			b := bytes.Clone(good)
			for range 1 + rng.IntN(4) {
				at := rng.IntN(len(b))
				switch rng.IntN(3) {
				case 0:
					b[at] ^= 1 << rng.IntN(8)
				case 1:
					b[at] = byte(rng.Uint32())
				default:
					for k := at &^ 3; k < min(len(b), at&^3+4); k++ {
						b[k] = []byte{0, 0xff, 0x7f}[rng.IntN(3)]
					}
				}
			}
			if rng.IntN(8) == 0 {
				b = b[:rng.IntN(len(b))]
			}
			checkInput(t, b)
		}
	}
}
