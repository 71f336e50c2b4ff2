package expr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/sql/ast"
)

// TestSearch compares LIKE with a constant pattern, over stored columns and others, with
// the matcher that goes character by character.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	text := func(letters string, most int) string {
		var b strings.Builder
		for range rng.IntN(most + 1) {
			b.WriteRune([]rune(letters)[rng.IntN(len([]rune(letters)))])
		}
		return b.String()
	}
	typ := columnar.Type{Kind: columnar.Text}
	searches := 0
	for range 4000 {
		values := make([]columnar.Value, rng.IntN(80))
		for i := range values {
			values[i] = columnar.Value{Type: typ, S: text("abä", 6), Null: rng.IntN(9) == 0}
		}
		pattern := text("abä%%\\", 5)
		e := &ast.Like{Not: rng.IntN(2) == 0}
		n := searched(e, []Node{NewRef(0, typ), NewConst(columnar.Value{Type: typ, S: pattern})})
		if n == nil {
			continue
		}
		searches++
		col := FromValues(typ, values)
		from := 0
		if len(values) > 0 {
			from = rng.IntN(len(values))
		}
		part := col.Slice(from, len(values)-from)
		var b Batch
		b.SetColumns(part.Len(), []columnar.Vec{part})
		stored, err := n.Eval(&b, nil)
		if err != nil {
			t.Fatal(err)
		}
		var given Batch
		given.SetVecs(part.Len(), []*Vec{b.Column(0)})
		other, err := searched(e, []Node{NewRef(0, typ), NewConst(columnar.Value{Type: typ, S: pattern})}).Eval(&given, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range part.Len() {
			v := values[from+i]
			m := matcher{escape: '\\', escapes: true}
			want := fmt.Sprint(m.match([]byte(v.S), []byte(pattern)) != e.Not)
			if v.Null {
				want = "null"
			}
			for _, got := range []*Vec{stored, other} {
				have := "null"
				if !got.IsNull(i) {
					have = fmt.Sprint(got.Bool(i))
				}
				if have != want {
					t.Fatalf("%q LIKE %q, not %t: %s, want %s", v.S, pattern, e.Not, have, want)
				}
			}
		}
	}
	if searches < 1000 {
		t.Errorf("only %d searches", searches)
	}
}
