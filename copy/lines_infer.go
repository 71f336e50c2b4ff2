package copy

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// Infer chooses columns from lines.
//
// A type is chosen if every value has its plainest form: boolean (t, f, true, false),
// bigint, numeric (integers beyond 64 bits, or more digits than a double keeps), double
// precision, date, timestamp and timestamptz in ISO form, uuid; else text. Digits that
// begin with a superfluous zero, as in a zip code, are text. NULLs fit every type; a
// column of nothing else is text.
//
// If the options do not say whether there is a header, the first record is taken for one
// if its fields are all different, none is empty, and either one does not fit the type
// that the rest of its column has, or all columns are text and no field of it looks like
// anything else.
func (o *lineReader) Infer(ctx context.Context, samples []Sample) (*Proposal, error) {
	x := &inferrer{ctx: ctx, opt: o}
	for i := range samples {
		if err := x.look(&samples[i]); err != nil {
			return nil, err
		}
	}
	if len(x.first) == 0 {
		return nil, nil
	}
	p := &Proposal{Header: x.decideHeader(), Rows: x.rows}
	loads := *o
	if p.Header && o.header.Records == 0 {
		loads.header.Records = 1
		p.Extra = []Option{{Name: "header", Values: []OptionValue{{Kind: Word, Text: "true"}}}}
	}
	if !p.Header {
		p.Rows++
	}
	p.Reader, p.Columns = &loads, x.columns(p.Header)
	return p, nil
}

// candidates is a set of types that all values of a column fit.
type candidates uint16

const (
	isBool candidates = 1 << iota
	isInt
	isFloat
	isNumeric
	isDate
	isTimestamp
	isTimestampTZ
	isUUID

	isAnything = 1<<iota - 1
)

// inferrer is one Infer at work.
type inferrer struct {
	ctx context.Context
	opt *lineReader

	first []naturalField // of the first record
	fits  []candidates   // of the records behind it
	some  []bool         // a value was seen
	rows  int64
}

// naturalField is a field without its quotes.
type naturalField struct {
	text string
	null bool
}

// look reads the records of one input.
func (x *inferrer) look(in *Sample) error {
	if len(in.Bytes) == 0 {
		return nil
	}
	header := x.opt.header
	header.Match = false
	if header.Records > 0 && x.first == nil {
		header.Records-- // the last one is read here
	}
	ln := &lines{binding: &Binding{Schema: &columnar.Schema{}}, proto: x.opt.dialect(), null: x.opt.null, checked: true}
	l, err := ln.head(&Head{Name: in.Name, Bytes: in.Bytes, Whole: true, Size: int64(len(in.Bytes))}, header)
	if err != nil {
		return err
	}
	d := &l.Scan.(*lineScan).d
	b := in.Bytes[l.Start:]
	if x.first == nil {
		record := b
		if end := d.afterEnd(b, outside, 1); end >= 0 {
			record = b[:end]
		}
		if len(record) == 0 || d.text && d.isEnd(record) {
			return nil
		}
		ex := explainer{ln: ln, d: d, r: &Record{File: in.Name, Line: 1 + l.Lines, Offset: l.Start}}
		if e := ex.bytes(record); e != nil {
			return e
		}
		for _, raw := range d.splitFields(ex.body(record), columnar.MaxColumns+1) {
			x.first = append(x.first, x.natural(d, raw))
		}
		x.fits, x.some = make([]candidates, len(x.first)), make([]bool, len(x.first))
		for i := range x.fits {
			x.fits[i] = isAnything
		}
		b = b[len(record):]
	}
	return x.records(ln, &l, b, in.Whole)
}

// records looks at the records of b, until one has not as many fields as the first: what is
// wrong with it is for the COPY to say.
func (x *inferrer) records(ln *lines, l *Layout, b []byte, whole bool) error {
	dec := ln.Decoder().(*lineDecoder)
	defer dec.Close()
	dec.fields, dec.stride = len(x.first), len(x.first)
	dec.Begin(l)
	r := reader{dec: dec, clock: &clock{}, size: blockBytes}
	r.clock.start(StageConvert, newStageLabels(x.ctx))
	defer r.clock.stop()
	r.reset(l, nil, b, 0, int64(len(b)), whole)
	for {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		n, err := r.next(1<<30, 0)
		if err != nil || n == 0 {
			return err
		}
		t := dec.take(n, 0)
		r.took(n)
		x.rows += int64(n)
		for i := range x.fits {
			x.column(dec.d, t, i, n)
		}
	}
}

// column narrows the candidates of column i by n records.
func (x *inferrer) column(d *dialect, b *batch, i, n int) {
	if x.fits[i] == 0 && x.some[i] {
		return
	}
	for r := range n {
		s, e := b.bounds(r, i)
		raw := b.b[s:e]
		if string(raw) == x.opt.null {
			continue
		}
		if b.hasQuote(s, e) {
			raw, _ = d.unquote(nil, raw)
		}
		x.some[i] = true
		if x.fits[i] &= fitsOf(raw, x.fits[i]); x.fits[i] == 0 {
			return
		}
	}
}

func (x *inferrer) natural(d *dialect, raw []byte) naturalField {
	if string(raw) == x.opt.null {
		return naturalField{text: x.opt.null, null: true}
	}
	text, _ := d.unquote(nil, raw)
	return naturalField{text: string(text)}
}

// fitsOf returns which of the types in among v fits in its plainest form.
func fitsOf(v []byte, among candidates) (c candidates) {
	if among&isBool != 0 {
		switch strings.ToLower(string(v)) {
		case "t", "f", "true", "false":
			c |= isBool
		}
	}
	if among&(isInt|isFloat|isNumeric) != 0 {
		c |= numberFits(v)
	}
	iso := len(v) >= 10 && len(v) <= 35 && v[4] == '-' && v[7] == '-' && digits(v[:4]) && digits(v[5:7]) && digits(v[8:10])
	if iso && among&(isDate|isTimestamp|isTimestampTZ) != 0 {
		c |= timeFits(v)
	}
	if among&isUUID != 0 && len(v) == 36 && v[8] == '-' {
		if _, st := pgtext.UUID(v); st == pgtext.OK {
			c |= isUUID
		}
	}
	return c & among
}

func digits(v []byte) bool {
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(v) > 0
}

// numberFits judges [-] digits [. digits] [e [sign] digits].
func numberFits(v []byte) candidates {
	switch string(v) {
	case "NaN", "Infinity", "-Infinity":
		return isFloat | isNumeric
	}
	s := bytes.TrimPrefix(v, []byte("-"))
	mantissa, exponent, scientific := bytes.Cut(bytes.ToLower(s), []byte("e"))
	if scientific && !digits(bytes.TrimLeft(exponent, "+-")) {
		return 0
	}
	whole, fraction, point := bytes.Cut(mantissa, []byte("."))
	if !digits(whole) || point && !digits(fraction) || len(whole) > 1 && whole[0] == '0' {
		return 0
	}
	if !point && !scientific {
		if _, st := pgtext.Int(v, 64); st == pgtext.OK {
			c := candidates(isInt | isNumeric)
			if len(whole) <= 15 {
				c |= isFloat
			}
			return c
		}
		return isNumeric
	}
	if _, st := pgtext.Float8(v); st != pgtext.OK {
		return isNumeric
	}
	if len(bytes.TrimLeft(whole, "0"))+len(fraction) > 17 {
		return isNumeric
	}
	return isFloat | isNumeric
}

// timeFits judges a value that begins with an ISO date.
func timeFits(v []byte) (c candidates) {
	if len(v) == 10 {
		if _, st := pgtext.Date(v); st == pgtext.OK {
			c = isDate | isTimestamp
		}
		return c
	}
	if (v[10] != ' ' && v[10] != 'T') || len(v) < 16 || v[13] != ':' {
		return 0
	}
	clock := v[11:]
	if !bytes.ContainsAny(clock, "+-Zz") {
		if _, st := pgtext.Timestamp(v); st == pgtext.OK && len(bytes.Trim(clock, "0123456789:.")) == 0 {
			c = isTimestamp
		}
		return c
	}
	if _, st := pgtext.TimestampTZ(v, nil); st == pgtext.OK {
		c = isTimestampTZ
	}
	return c
}

// choice returns the type for a set of candidates.
func (c candidates) choice(some bool) columnar.Kind {
	order := []struct {
		bit  candidates
		kind columnar.Kind
	}{
		{isBool, columnar.Bool}, {isInt, columnar.Int8}, {isFloat, columnar.Float8}, {isNumeric, columnar.Numeric}, {isDate, columnar.Date},
		{isTimestamp, columnar.Timestamp}, {isTimestampTZ, columnar.TimestampTZ}, {isUUID, columnar.UUID},
	}
	for _, o := range order {
		if some && c&o.bit != 0 {
			return o.kind
		}
	}
	return columnar.Text
}

// decideHeader says whether the first record names the columns.
func (x *inferrer) decideHeader() bool {
	if x.opt.header.Records > 0 || x.opt.headerGiven {
		return x.opt.header.Records > 0
	}
	seen := map[string]bool{}
	named, typed, odd := true, false, false
	for i, f := range x.first {
		if f.null || strings.TrimSpace(f.text) == "" || seen[f.text] {
			return false
		}
		seen[f.text] = true
		is := fitsOf([]byte(f.text), isAnything)
		if x.some[i] && x.fits[i] != 0 {
			typed = true
			odd = odd || is&x.fits[i] == 0
			named = named && is&x.fits[i] == 0
		} else {
			named = named && is&^isBool == 0 && !digits([]byte(f.text)) // t and f are names too; a zip code is none
		}
	}
	return odd && named || !typed && named && x.rows > 0
}

// columns returns the columns; without a header the first record is a row like the rest.
func (x *inferrer) columns(header bool) []columnar.Column {
	cols := make([]columnar.Column, len(x.first))
	taken := map[string]bool{}
	for i, f := range x.first {
		fits, some := x.fits[i], x.some[i]
		name := fmt.Sprintf("c%d", i+1)
		if header {
			if t := strings.TrimSpace(f.text); t != "" {
				name = t
			}
		} else if !f.null {
			fits, some = fits&fitsOf([]byte(f.text), isAnything), true
		}
		base := name
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		taken[name] = true
		cols[i] = columnar.Column{Name: name, Type: columnar.Type{Kind: fits.choice(some)}}
	}
	return cols
}
