package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// like binds LIKE and ILIKE.
func (s *Scope) like(e *ast.Like) (Node, error) {
	op := "~~"
	if e.FoldCase {
		op = "~~*"
	}
	exprs := []ast.Expr{e.X, e.Pattern}
	if e.Escape != nil {
		exprs = append(exprs, e.Escape)
	}
	nodes := make([]Node, len(exprs))
	fits := true
	for i, x := range exprs {
		n, err := s.Bind(x)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
		fits = fits && (undecided(n) || isText(n.Type()))
	}
	if !fits {
		return nil, s.noOperator(e.Pos(), op, nodes[0].Type(), nodes[1].Type())
	}
	for i, x := range exprs {
		n, err := s.coerce(nodes[i], textType, x.Pos())
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	if n := searched(e, nodes); n != nil {
		return n, nil
	}
	n := newStrict(boolType, func(out result, a args) error {
		escape := byte('\\')
		has := true
		if len(a.vecs) == 3 {
			switch x := a.bytes(2); {
			case len(x) == 0:
				has = false
			case len(x) > 1:
				return pgerr.New(pgerr.InvalidEscapeSequence, "invalid escape string").
					WithHint("Escape string must be empty or one character.")
			default:
				escape = x[0]
			}
		}
		text, pattern := a.bytes(0), a.bytes(1)
		if e.FoldCase {
			text, pattern = lower(text), lower(pattern)
		}
		m := matcher{escape: escape, escapes: has}
		ok := m.match(text, pattern)
		if m.bad {
			return pgerr.New(pgerr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
		}
		out.bool(ok)
		return nil
	}, nodes...)
	if e.Not {
		return &not{x: n}, nil
	}
	return n, nil
}

// matcher matches LIKE patterns.
type matcher struct {
	escape  byte
	escapes bool
	bad     bool // the pattern ends with an escape character
}

// match reports whether text matches pattern. It goes back only to the last %, so it
// takes at most len(text)*len(pattern) steps.
func (m *matcher) match(text, pattern []byte) bool {
	t, p := 0, 0
	star, from := -1, 0 // the pattern behind the last %, and where the text after it began
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '%' {
			p++
			star, from = p, t
			continue
		}
		if p < len(pattern) {
			if next, size, ok := m.one(text[t:], pattern, p); ok {
				p, t = next, t+size
				continue
			}
			if m.bad {
				return false
			}
		}
		if star < 0 {
			return false
		}
		_, size := utf8.DecodeRune(text[from:])
		from += size
		p, t = star, from
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern)
}

// one matches the first character of text with the element of the pattern at p and
// returns the index behind that and the length of the character.
func (m *matcher) one(text, pattern []byte, p int) (next, size int, ok bool) {
	c := pattern[p]
	switch {
	case m.escapes && c == m.escape:
		if p+1 == len(pattern) {
			m.bad = true
			return 0, 0, false
		}
		return p + 2, 1, pattern[p+1] == text[0]
	case c == '_':
		_, size := utf8.DecodeRune(text)
		return p + 1, size, true
	}
	return p + 1, 1, c == text[0]
}

// literals are the literal parts of a pattern that has no _: the text begins with the first,
// ends with the last, and has the others between them, in order. A pattern without % is one
// part.
type literals [][]byte

// partsOf takes a pattern apart; ok is false if it has a _ or is wrong.
func partsOf(pattern []byte, escape byte, escapes bool) (p literals, ok bool) {
	part := []byte{}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case escapes && c == escape:
			if i++; i == len(pattern) {
				return nil, false
			}
			part = append(part, pattern[i])
		case c == '_':
			return nil, false
		case c == '%':
			p = append(p, part)
			part = []byte{}
		default:
			part = append(part, c)
		}
	}
	return append(p, part), true
}

// match reports whether text has the parts.
func (p literals) match(text []byte) bool {
	first, last := p[0], p[len(p)-1]
	if len(p) == 1 {
		return bytes.Equal(text, first)
	}
	if len(text) < len(first)+len(last) || !bytes.HasPrefix(text, first) || !bytes.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range p[1 : len(p)-1] {
		at := bytes.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// search is LIKE with a constant pattern of literal parts.
type search struct {
	store
	x     Node
	parts literals
	not   bool
}

// searched returns e as a search, nil if it is none; nodes are its operands.
func searched(e *ast.Like, nodes []Node) Node {
	pattern, ok := nodes[1].(*Const)
	if _, all := nodes[0].(*Const); !ok || all || e.FoldCase || pattern.vec.IsNull(0) {
		return nil
	}
	escape, escapes := byte('\\'), true
	if len(nodes) == 3 {
		c, ok := nodes[2].(*Const)
		if !ok || c.vec.IsNull(0) || len(c.vec.S[0]) > 1 {
			return nil
		}
		if escapes = len(c.vec.S[0]) == 1; escapes {
			escape = c.vec.S[0][0]
		}
	}
	p, ok := partsOf(pattern.vec.S[0], escape, escapes)
	if !ok {
		return nil
	}
	return &search{x: nodes[0], parts: p, not: e.Not}
}

// Type implements Node.
func (s *search) Type() columnar.Type { return boolType }

// Eval implements Node.
func (s *search) Eval(b *Batch, active []uint64) (*Vec, error) {
	if ref, ok := s.x.(*Ref); ok && len(s.parts) == 3 && len(s.parts[0])+len(s.parts[2]) == 0 && len(s.parts[1]) > 0 {
		if col, ok := b.Stored(ref.Index); ok {
			out := s.start(boolType, b.Rows)
			out.Valid = col.ValidWords(grown(&s.valid, words(b.Rows)))
			clear(out.B)
			within(col, s.parts[1], out.B)
			s.negate()
			return out, nil
		}
	}
	x, err := s.x.Eval(b, active)
	if err != nil {
		return nil, err
	}
	n := b.Rows
	if x.Const {
		n = 1
	}
	out := s.start(boolType, n)
	out.Const = x.Const
	s.strict(n, x)
	clear(out.B)
	if x.Const {
		active = nil
	}
	err = wanted(n, active, out.Valid, func(i int) error {
		s.setBool(i, s.parts.match(x.Bytes(i)))
		return nil
	})
	s.negate()
	return out, err
}

// negate makes LIKE NOT LIKE if that is what it is.
func (s *search) negate() {
	if s.not {
		for i := range s.vec.B {
			s.vec.B[i] = ^s.vec.B[i]
		}
	}
}

// within sets the bits of the rows whose text has part in it. The bytes of all rows are
// searched as one; what lies across the end of a row is no find.
func within(col *columnar.Vec, part []byte, bits []uint64) {
	offsets, n := col.Offsets(), col.Len()
	data := col.Data()[:offsets[n]]
	row := 0
	for at := int(offsets[0]); row < n; {
		i := bytes.Index(data[at:], part)
		if i < 0 {
			return
		}
		at += i
		for int(offsets[row+1]) <= at {
			row++
		}
		if at+len(part) > int(offsets[row+1]) {
			at++
			continue
		}
		bits[row>>6] |= 1 << (row & 63)
		at = int(offsets[row+1])
		row++
	}
}
