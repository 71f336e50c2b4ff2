package sql

import (
	"fmt"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// aggregateKind says what an aggregate computes, and from what.
type aggregateKind uint8

const (
	countRows aggregateKind = iota
	countValues
	sumInts   // of integers and of narrow decimals: 128 bits
	sumNums   // of other numerics
	sumFloats // in the order of the rows
	extremes  // min and max
	bools     // bool_and and bool_or
	firstRow  // the value of a group's first row, null or not
)

// aggregate is a call of an aggregate, bound.
type aggregate struct {
	text     string
	name     string
	kind     aggregateKind
	average  bool
	largest  bool // max, bool_or
	distinct bool
	arg      expr.Node // nil for count(*)
	filter   expr.Node // nil if there is none
	result   columnar.Type
	typ      columnar.Type // of the argument
}

var (
	int8Type    = columnar.Type{Kind: columnar.Int8}
	numericType = columnar.Type{Kind: columnar.Numeric}
	float8Type  = columnar.Type{Kind: columnar.Float8}
	boolType    = columnar.Type{Kind: columnar.Bool}
)

// bind binds a call over the rows of q.
func (a *aggregate) bind(q *query, c *ast.Call) (err error) {
	a.name = c.Name
	q.scope.Clause = "FILTER"
	if c.Filter != nil {
		if a.filter, err = q.scope.Boolean(c.Filter); err != nil {
			return err
		}
	}
	if c.Star {
		if c.Name != "count" {
			return q.run.at(c.Pos(), pgerr.New(pgerr.UndefinedFunction, "function %s() does not exist", c.Name))
		}
		a.kind, a.result = countRows, int8Type
		return nil
	}
	if len(c.Args) != 1 {
		if c.Name == "count" && len(c.Args) == 0 {
			return q.run.at(c.Pos(), pgerr.New(pgerr.WrongObjectType, "count(*) must be used to call a parameterless aggregate function"))
		}
		return q.run.at(c.Pos(), pgerr.New(pgerr.UndefinedFunction, "aggregate %s takes one argument", c.Name))
	}
	q.scope.Clause = "aggregate arguments"
	if a.arg, err = q.scope.Decided(c.Args[0]); err != nil {
		return err
	}
	a.typ = a.arg.Type()
	if !a.decide() {
		return q.run.at(c.Pos(), pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", c.Name, a.typ.Name()).
			WithHint("No function matches the given name and argument types. You might need to add explicit type casts."))
	}
	return nil
}

// decide sets kind and result from name and argument; false if there is no such aggregate.
func (a *aggregate) decide() bool {
	form := expr.FormOf(a.typ)
	number := form == expr.Numerics || form == expr.Floats ||
		a.typ.Kind == columnar.Int2 || a.typ.Kind == columnar.Int4 || a.typ.Kind == columnar.Int8
	switch a.name {
	case "count":
		a.kind, a.result = countValues, int8Type
		return !a.distinct || !a.typ.Array && a.typ.Kind != columnar.JSON
	case "min", "max":
		a.kind, a.result, a.largest, a.distinct = extremes, a.typ, a.name == "max", false
		if a.typ.Kind == columnar.Varchar {
			a.result = columnar.Type{Kind: columnar.Text}
		}
		return form != expr.Bits && !a.typ.Array && a.typ.Kind != columnar.JSON
	case "bool_and", "every", "bool_or":
		a.kind, a.result, a.largest = bools, boolType, a.name == "bool_or"
		return form == expr.Bits
	}
	a.average = a.name == "avg"
	switch {
	case !number || a.typ.Array:
		return false
	case form == expr.Floats:
		a.kind, a.result = sumFloats, a.typ
		if a.average {
			a.result = float8Type
		}
	case form == expr.Ints:
		a.kind, a.result = sumInts, numericType
		if !a.average && a.typ.Kind != columnar.Int8 {
			a.result = int8Type
		}
	default:
		a.kind, a.result = sumNums, numericType
		if _, column := a.arg.(*expr.Ref); column && a.typ.Kind == columnar.Decimal && a.typ.Width() <= 8 && !a.distinct {
			a.kind = sumInts
		}
	}
	return true
}

// new returns the empty state of the aggregate.
func (a *aggregate) new() aggregator {
	var s aggregator
	switch a.kind {
	case countRows, countValues:
		s = &counter{}
	case sumInts:
		s = &intSum{a: a}
	case sumNums:
		s = &numSum{a: a}
	case sumFloats:
		s = &floatSum{a: a, vector: -1}
	case extremes:
		s = &extreme{a: a}
	case bools:
		s = &boolean{a: a}
	case firstRow:
		s = &first{a: a}
	default:
		panic(fmt.Sprintf("sql: aggregate kind %d", a.kind))
	}
	if a.distinct {
		s = &distinct{inner: s, values: expr.NewBuilder(a.typ)}
	}
	return s
}

// counter is count.
type counter struct{ n []int64 }

func (c *counter) add(in *aggInput, groups []uint32, n int) {
	c.n = extend(c.n, n)
	if groups == nil {
		c.n[0] += in.count()
		return
	}
	if in.want == nil {
		for _, g := range groups {
			c.n[g]++
		}
		return
	}
	in.each(func(i int) { c.n[groups[i]]++ })
}

func (c *counter) merge(from aggregator, to []uint32, n int) {
	c.n = extend(c.n, n)
	for i, v := range from.(*counter).n {
		c.n[to[i]] += v
	}
}

func (c *counter) result(n int) (*expr.Vec, error) {
	return &expr.Vec{Type: int8Type, Len: n, I: extend(c.n, n)}, nil
}

func (c *counter) bytes() int64 { return 8 * int64(len(c.n)) }

// distinct hands every value of a group to another aggregator once, at the end.
type distinct struct {
	inner  aggregator
	table  keyTable // group and value
	values expr.Builder
	groups []uint32 // by value
	key    []byte
}

func (d *distinct) put(group uint32, v *expr.Vec, i int) {
	d.key = append(d.key[:0], byte(group), byte(group>>8), byte(group>>16), byte(group>>24))
	d.key = expr.AppendKey(d.key, v, i)
	if _, fresh := d.table.number(d.key); fresh {
		d.values.Append(v, i)
		d.groups = append(d.groups, group)
	}
}

func (d *distinct) add(in *aggInput, groups []uint32, _ int) {
	v := in.vec()
	in.each(func(i int) {
		group := uint32(0)
		if groups != nil {
			group = groups[i]
		}
		d.put(group, v, i)
	})
}

func (d *distinct) merge(from aggregator, to []uint32, _ int) {
	f := from.(*distinct)
	for at := 0; at < f.values.Len(); at += expr.MaxRows {
		n := min(f.values.Len()-at, expr.MaxRows)
		v := f.values.Rows(at, n)
		for i := range n {
			d.put(to[f.groups[at+i]], v, i)
		}
	}
}

func (d *distinct) result(n int) (*expr.Vec, error) {
	for at := 0; at < d.values.Len(); at += expr.MaxRows {
		rows := min(d.values.Len()-at, expr.MaxRows)
		in := aggInput{rows: rows, v: d.values.Rows(at, rows)}
		d.inner.add(&in, d.groups[at:at+rows], n)
	}
	return d.inner.result(n)
}

func (d *distinct) bytes() int64 {
	return d.table.bytes() + d.values.Bytes() + 4*int64(len(d.groups)) + d.inner.bytes()
}

// boolean is bool_and and bool_or.
type boolean struct {
	a    *aggregate
	has  []bool
	last []bool
}

func (b *boolean) put(group uint32, v bool) {
	if !b.has[group] {
		b.has[group], b.last[group] = true, v
		return
	}
	if v == b.a.largest {
		b.last[group] = v
	}
}

func (b *boolean) add(in *aggInput, groups []uint32, n int) {
	b.has, b.last = extend(b.has, n), extend(b.last, n)
	v := in.vec()
	in.each(func(i int) {
		group := uint32(0)
		if groups != nil {
			group = groups[i]
		}
		b.put(group, v.Bool(i))
	})
}

func (b *boolean) merge(from aggregator, to []uint32, n int) {
	b.has, b.last = extend(b.has, n), extend(b.last, n)
	f := from.(*boolean)
	for i, has := range f.has {
		if has {
			b.put(to[i], f.last[i])
		}
	}
}

func (b *boolean) result(n int) (*expr.Vec, error) {
	values := make([]columnar.Value, n)
	for i := range values {
		values[i] = columnar.Value{Type: boolType, Null: true}
		if i < len(b.has) && b.has[i] {
			values[i].Null = false
			if b.last[i] {
				values[i].I = 1
			}
		}
	}
	return expr.VecOf(boolType, values), nil
}

func (b *boolean) bytes() int64 { return 2 * int64(len(b.has)) }

// first is the value of every group's first row.
type first struct {
	a      *aggregate
	has    []bool
	values []columnar.Value
	size   int64
}

func (f *first) put(group uint32, v columnar.Value) {
	if !f.has[group] {
		f.has[group], f.values[group] = true, v
		f.size += int64(len(v.S))
	}
}

func (f *first) add(in *aggInput, groups []uint32, n int) {
	f.has, f.values = extend(f.has, n), extend(f.values, n)
	v := in.vec()
	in.each(func(i int) {
		group := uint32(0)
		if groups != nil {
			group = groups[i]
		}
		if !f.has[group] {
			f.put(group, v.Value(i))
		}
	})
}

func (f *first) merge(from aggregator, to []uint32, n int) {
	f.has, f.values = extend(f.has, n), extend(f.values, n)
	g := from.(*first)
	for i, has := range g.has {
		if has {
			f.put(to[i], g.values[i])
		}
	}
}

func (f *first) result(n int) (*expr.Vec, error) {
	f.has, f.values = extend(f.has, n), extend(f.values, n)
	return expr.VecOf(f.a.result, f.values[:n]), nil
}

func (f *first) bytes() int64 { return 73*int64(len(f.values)) + f.size }
