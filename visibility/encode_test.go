package visibility

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestEncodeRoundTrip(t *testing.T) {
	perSeed(t, 20, func(t *testing.T, rng *rand.Rand) {
		m := make(model, startRows[rng.IntN(len(startRows))])
		g := NewGroup(uint32(len(m)))
		for range 8 {
			m, g = randomEdit(t, rng, m, g)
			b := g.AppendBinary([]byte("before"))
			if !bytes.HasPrefix(b, []byte("before")) {
				t.Fatal("AppendBinary lost what was before")
			}
			b = b[len("before"):]
			got, rest, err := DecodeGroup(append(slices.Clone(b), "after"...))
			if err != nil || string(rest) != "after" {
				t.Fatalf("rest %q, error %v", rest, err)
			}
			m.check(t, rng, got)
			if again := got.AppendBinary(nil); !bytes.Equal(again, b) {
				t.Fatalf("encoding is not canonical: %d bytes, then %d", len(b), len(again))
			}
			for n := range b {
				if len(b) > 600 && n%97 != 0 {
					continue
				}
				if _, _, err := DecodeGroup(b[:n]); !errors.Is(err, ErrMalformed) {
					t.Fatalf("%d of %d bytes: error %v", n, len(b), err)
				}
			}
		}
	})
}

func TestEncodedBytes(t *testing.T) {
	full, _ := NewGroup(GroupRows).WithDeletedRange(0, GroupRows)
	few, _ := NewGroup(5000).WithDeleted([]uint32{1, 4999})
	mixed, _ := NewGroup(3*VectorRows).WithDeletedRange(VectorRows, VectorRows)
	half, _ := NewGroup(256).WithDeletedRange(0, 128)
	for _, c := range []struct {
		name string
		g    *Group
		hex  string
	}{
		{"empty", NewGroup(0), "00000000 00000000"},
		{"clean", NewGroup(GroupRows), "00000200 00000000"},
		{"all deleted", full, "00000200 00000200"},
		{"two rows", few, "88130000 02000000 33 01 0100 01 8703"},
		{"a whole vector", mixed, "00180000 00080000 04"},
		{"a bitmap", half, "00010000 80000000 02" + strings.Repeat("ff", 16) + strings.Repeat("00", 240)},
	} {
		if got, want := hex.EncodeToString(c.g.AppendBinary(nil)), strings.ReplaceAll(c.hex, " ", ""); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

// The smaller of list and bitmap is used, on both sides of where they meet.
func TestEncodedSizes(t *testing.T) {
	for n, want := range map[uint32]int{1: 12, 127: 8 + 1 + 255, 128: 8 + 1 + 256, 2047: 8 + 1 + 256, 2048: 8} {
		g, _ := NewGroup(VectorRows).WithDeletedRange(0, n)
		if got := len(g.AppendBinary(nil)); got != want {
			t.Errorf("%d deleted rows: %d bytes, want %d", n, got, want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	// header joins rows and deleted with what follows.
	header := func(rows, deleted uint32, rest ...byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, rows)
		return append(binary.LittleEndian.AppendUint32(b, deleted), rest...)
	}
	// bits returns a bitmap with bits [0, n) set.
	bits := func(n uint32) []byte {
		var m bitmap
		setBits(&m, 0, n)
		var b []byte
		for _, w := range m {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return b
	}
	list := func(rows ...uint16) []byte {
		b := []byte{byte(len(rows))}
		for _, i := range rows {
			b = binary.LittleEndian.AppendUint16(b, i)
		}
		return b
	}
	ascending := make([]uint16, 128)
	for i := range ascending {
		ascending[i] = uint16(i)
	}
	for name, b := range map[string][]byte{
		"nothing":                     nil,
		"too many rows":               header(GroupRows+1, 0),
		"more deleted than rows":      header(5, 6),
		"no codes":                    header(5000, 1),
		"code past the last vector":   header(5000, 1, append([]byte{0xC3}, list(1)...)...),
		"sum too small":               header(5000, 2, append([]byte{0x03}, list(1)...)...),
		"sum too large":               header(5000, 1, append([]byte{0x03}, list(1, 2)...)...),
		"all states none":             header(5000, 1, 0),
		"list empty":                  header(5000, 2048, append([]byte{0x07}, list()...)...),
		"list not ascending":          header(5000, 2, append([]byte{0x03}, list(2, 1)...)...),
		"list repeats a row":          header(5000, 2, append([]byte{0x03}, list(1, 1)...)...),
		"list past the last row":      header(5000, 1, append([]byte{0x30}, list(904)...)...),
		"list past the vector":        header(5000, 1, append([]byte{0x03}, list(2048)...)...),
		"list cut":                    header(5000, 2, 0x03, 2, 0, 0, 1),
		"list too long for a list":    header(5000, 128, append([]byte{0x03}, list(ascending...)...)...),
		"list of all rows":            header(2050, 2, append([]byte{0x0C}, list(0, 1)...)...),
		"bitmap small enough to list": header(5000, 127, append([]byte{0x02}, bits(127)...)...),
		"bitmap of a full vector":     header(5000, 2048, append([]byte{0x02}, bits(2048)...)...),
		"bitmap past the last row":    header(2048+200, 201, append([]byte{0x08}, bits(201)...)...),
		"bitmap cut":                  header(5000, 200, append([]byte{0x02}, bits(200)[:255]...)...),
	} {
		g, rest, err := DecodeGroup(b)
		if !errors.Is(err, ErrMalformed) || g != nil || rest != nil {
			t.Errorf("%s: group %v, error %v", name, g != nil, err)
		}
	}
}

func FuzzDecodeGroup(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []float64{0, 0.001, 0.1, 1} {
		for _, rows := range []uint32{1, 2049, 6000} {
			g, _ := NewGroup(rows).WithDeleted(randomRows(rng, rows, p))
			f.Add(g.AppendBinary(nil))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, rest, err := DecodeGroup(b)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if again := g.AppendBinary(nil); !bytes.Equal(again, b[:len(b)-len(rest)]) {
			t.Fatalf("decoded %x, encoded %x", b[:len(b)-len(rest)], again)
		}
		m := make(model, g.Rows())
		for i := range m {
			m[i] = !g.Visible(uint32(i))
		}
		m.check(t, rand.New(rand.NewPCG(1, 2)), g)
	})
}
