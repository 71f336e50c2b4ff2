package copy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// inferBytes is how much input the types are inferred from: all of it if it is not longer.
const inferBytes = 64 << 20

// inferStreamBytes is how much of a stream, which must be kept in memory, is looked at.
const inferStreamBytes = 8 << 20

// Inference is what Infer made of an input.
type Inference struct {
	Columns []columnar.Column
	Header  bool   // the first record names the columns
	Says    string // what was chosen and from how much, in one line
	Source  Source // to load from: the given one, but for what was read of a stream
	Options *FromOptions
}

// Infer chooses columns for an input whose table does not exist yet.
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
func Infer(ctx context.Context, src Source, opt *FromOptions, env Env) (*Inference, error) {
	inf := &inferrer{ctx: ctx, opt: opt, sh: &shape{schema: &columnar.Schema{Name: "new table"}, null: opt.Null}, left: inferBytes}
	if opt.Format == "binary" {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "cannot infer columns from a binary file").WithHint("Create the table first.")
	}
	out := &Inference{Source: src}
	if src.reader != nil {
		if err := inf.stream(src.reader, src.name); err != nil {
			return nil, asError(err)
		}
		out.Source = FromReader(io.MultiReader(bytes.NewReader(inf.kept), src.reader), src.name)
	} else if err := inf.files(src.paths, &env); err != nil {
		return nil, asError(err)
	}
	if len(inf.first) == 0 {
		return nil, pgerr.New(pgerr.BadCopyFileFormat, "the input is empty: it has no record to infer columns from").
			WithHint("Create the table first.")
	}
	out.Header = inf.decideHeader()
	o := *opt
	if out.Header && o.Header.Records == 0 {
		o.Header.Records = 1
	}
	out.Options = &o
	out.Columns = inf.columns(out.Header)
	out.Says = inf.says(out)
	return out, nil
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
	ctx  context.Context
	opt  *FromOptions
	sh   *shape
	left int64 // bytes still to look at
	kept []byte

	first []naturalField // of the first record
	fits  []candidates   // of the records behind it
	some  []bool         // a value was seen
	rows  int64
	bytes int64
	total int64
	cut   bool // not everything was looked at
}

// naturalField is a field without its quotes.
type naturalField struct {
	text string
	null bool
}

func (x *inferrer) files(patterns []string, env *Env) error {
	names, err := env.Files.expand(patterns)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := x.file(name, env); err != nil {
			return err
		}
	}
	return nil
}

func (x *inferrer) file(name string, env *Env) error {
	if info, err := env.Files.stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return pgerr.New(pgerr.WrongObjectType, "cannot infer columns from \"%s\": it can be read only once", name).
			WithHint("Create the table first, or give the data as standard input.").In(name)
	}
	file, info, err := env.Files.open(x.ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	if kind := sniff(file); kind != nil || x.opt.Encoding != "" {
		return x.recoded(file, kind, name)
	}
	x.total += info.Size()
	return x.look(&input{name: name, info: info, size: info.Size(), end: info.Size(), file: file})
}

// recoded looks at a file that is compressed, unless kind is nil, or in another encoding.
func (x *inferrer) recoded(r io.Reader, kind *compression, name string) error {
	if kind != nil {
		inflated, err := newInflated(&countedReader{r: r, progress: new(Progress)}, kind, name)
		if err != nil {
			return err
		}
		defer inflated.Close()
		r = inflated
	}
	return x.front(r, name)
}

// stream looks at the first bytes of a stream and keeps them.
func (x *inferrer) stream(r io.Reader, name string) error {
	var kept bytes.Buffer
	err := x.front(io.TeeReader(r, &kept), name)
	x.kept = kept.Bytes()
	return err
}

// front looks at the first bytes of what can only be read from front to back.
func (x *inferrer) front(r io.Reader, name string) error {
	if x.left == 0 {
		x.cut = true
		return nil
	}
	var s stream
	if x.opt.Encoding != "" {
		s.decoder = newDecoder(r, x.opt.Encoding)
		r = s.decoder
	}
	b := make([]byte, inferStreamBytes)
	n, err := io.ReadFull(r, b)
	switch {
	case err == nil:
		x.cut = true
		x.left = int64(n) - slackBytes
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return fileError(err, "could not read from", name)
	}
	err = x.look(&input{name: name, size: int64(n), end: int64(n), mem: b[:n:n]})
	if x.cut {
		x.left = 0
	}
	return s.why(err)
}

// look reads the records of one input.
func (x *inferrer) look(in *input) error {
	if in.size == 0 || x.left == 0 {
		x.cut = x.cut || in.size > 0
		return nil
	}
	header := x.opt.Header
	header.Match = false
	if header.Records > 0 && x.first == nil {
		header.Records-- // the last one is read here
	}
	if err := x.sh.prologue(in, in.file, x.opt.dialect(), header); err != nil {
		return err
	}
	start := in.start
	if x.first == nil {
		record, err := recordAt(&in.d, in.source(), start, in.size)
		if err != nil {
			return readError(err, in.name)
		}
		if len(record) == 0 || in.d.text && in.d.isEnd(record) {
			return nil
		}
		ex := explainer{sh: x.sh, d: &in.d, place: place{file: in.name, line: 1 + in.headLines, offset: start}}
		if e := ex.bytes(record); e != nil {
			return e
		}
		for _, raw := range in.d.splitFields(ex.body(record), columnar.MaxColumns+1) {
			x.first = append(x.first, x.natural(&in.d, raw))
		}
		x.fits, x.some = make([]candidates, len(x.first)), make([]bool, len(x.first))
		for i := range x.fits {
			x.fits[i] = isAnything
		}
		start += int64(len(record))
	}
	return x.records(in, start)
}

// records looks at the records of in from start on, until one has not as many fields as
// the first: what is wrong with it is for the COPY to say.
func (x *inferrer) records(in *input, start int64) error {
	limit := min(in.size, start+x.left)
	x.cut = x.cut || limit < in.size
	var src io.ReaderAt = in.file
	if in.mem != nil {
		src = bytes.NewReader(in.mem)
	}
	r := reader{clock: &clock{}, size: blockBytes, fields: len(x.first), stride: len(x.first), text: true}
	r.clock.start(StageConvert, newStageLabels(x.ctx))
	defer r.clock.stop()
	r.reset(&in.d, src, nil, start, limit, limit == in.size)
	var b batch
	for {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		n, err := r.next(&b, 1<<30, 0)
		if err != nil {
			return readError(err, in.name)
		}
		if n == 0 {
			break
		}
		x.rows += int64(n)
		for i := range x.fits {
			x.column(&in.d, &b, i, n)
		}
	}
	used := r.offset() - in.start
	x.left -= min(x.left, used)
	x.bytes += used
	return nil
}

// column narrows the candidates of column i by n records.
func (x *inferrer) column(d *dialect, b *batch, i, n int) {
	if x.fits[i] == 0 && x.some[i] {
		return
	}
	for r := range n {
		s, e := b.bounds(r, i)
		raw := b.b[s:e]
		if string(raw) == x.sh.null {
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
	if string(raw) == x.sh.null {
		return naturalField{text: x.sh.null, null: true}
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
	if x.opt.Header.Records > 0 || x.opt.headerGiven {
		return x.opt.Header.Records > 0
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

// says describes the choice in one line.
func (x *inferrer) says(out *Inference) string {
	var b strings.Builder
	for i := range out.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", out.Columns[i].Name, out.Columns[i].Type)
	}
	rows := x.rows
	head := "a header"
	if !out.Header {
		head = "no header"
		rows++
	}
	from := "all of the input"
	if x.cut {
		from = fmt.Sprintf("a sample, the first %d bytes", x.bytes)
		if x.total > 0 {
			from += fmt.Sprintf(" of %d", x.total)
		}
	}
	return fmt.Sprintf("columns (%s) inferred from %s: %d rows, %s", b.String(), from, rows, head)
}
