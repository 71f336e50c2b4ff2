package copy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// TestSpill writes blocks of any number of rows and reads them again, and looks at blocks
// that are not what was written without believing a length in them.
func TestSpill(t *testing.T) {
	types := []columnar.Type{
		{Kind: columnar.Int2}, {Kind: columnar.Text}, {Kind: columnar.Bool}, {Kind: columnar.Int8}, {Kind: columnar.UUID},
		{Kind: columnar.Decimal, Precision: 9, Scale: 2}, {Kind: columnar.Decimal, Precision: 30, Scale: 2},
	}
	r := rand.New(rand.NewPCG(7, 8))
	path := filepath.Join(t.TempDir(), "spill")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &spill{file: file, name: path}
	var want [][]byte
	for _, rows := range []int{1, 63, 64, 65, 2047, 2048, 3} {
		b := newRowBuffer(types, rows)
		b.rows = rows
		for i := range b.cols {
			c := &b.cols[i]
			b.nulls[i] = r.IntN(2) == 0
			for row := range rows {
				if !b.nulls[i] || r.IntN(3) > 0 {
					c.Valid[row>>6] |= 1 << (row & 63)
				}
				if c.Offsets != nil {
					c.Data = append(c.Data, fmt.Sprint(r.Uint32())[:r.IntN(5)]...)
					c.Offsets[row+1] = int32(len(c.Data))
				}
			}
			for k := range c.Fixed {
				c.Fixed[k] = byte(r.Uint32())
			}
			for k := range c.Bits {
				c.Bits[k] = r.Uint64()
			}
			if c.Type.Kind == columnar.Decimal && r.IntN(2) == 0 {
				c.EnsureNaN(rows)
				c.NaN[0] = r.Uint64()
			}
		}
		want = append(want, rowsText(Batch{Rows: rows, Cols: b.vecs(nil)}))
		if err := s.write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	in := &spillReader{spill: s, types: types}
	x := extent{0, s.at}
	for i := range want {
		b, err := in.next(&x)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(rowsText(b), want[i]) {
			t.Errorf("block %d has other rows", i)
		}
	}
	if x.size != 0 {
		t.Errorf("%d bytes are left", x.size)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		bad := bytes.Clone(whole[:8+r.IntN(len(whole)-8)])
		word := 8 * r.IntN(1+len(types)) // of the first block's heads
		if len(bad) >= word+8 {
			binary.NativeEndian.PutUint64(bad[word:], r.Uint64()>>r.IntN(64))
		}
		damaged := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(damaged, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(damaged)
		if err != nil {
			t.Fatal(err)
		}
		in := &spillReader{spill: &spill{file: file, name: damaged}, types: types}
		x := extent{0, s.at}
		if _, err := in.next(&x); err != nil {
			wantState(t, err, pgerr.ObjectNotInState)
		}
		file.Close()
		os.Remove(damaged)
	}
}

// rowsText returns the rows of b as lines.
func rowsText(b Batch) (out []byte) {
	for row := range b.Rows {
		for i := range b.Cols {
			if v := b.Cols[i].Value(row); v.Null {
				out = append(out, '~')
			} else {
				out = v.AppendText(out, nil)
			}
			out = append(out, '|')
		}
		out = append(out, '\n')
	}
	return out
}
