package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/sql/ast"
)

// signature is one form of a function.
type signature struct {
	args   []columnar.Type // the last one stands for any number if rest is set
	rest   bool
	result columnar.Type
	lax    bool // called with null arguments
	fn     func(s *Scope) function
}

// plain makes a function that needs nothing of its Scope.
func plain(fn function) func(*Scope) function { return func(*Scope) function { return fn } }

// aggregates are the names of aggregates, those of PostgreSQL that are missing included.
var aggregates = map[string]bool{
	"count": true, "sum": true, "min": true, "max": true, "avg": true,
	"bool_and": true, "bool_or": true, "every": true,
	"string_agg": false, "array_agg": false, "json_agg": false, "jsonb_agg": false, "stddev": false,
	"stddev_pop": false, "stddev_samp": false, "variance": false, "var_pop": false, "var_samp": false,
	"bit_and": false, "bit_or": false, "bit_xor": false, "corr": false, "mode": false,
	"percentile_cont": false, "percentile_disc": false, "regr_slope": false, "any_value": false,
}

// IsAggregate reports whether e is a call of an aggregate.
func IsAggregate(e ast.Expr) bool {
	c, ok := e.(*ast.Call)
	if !ok {
		return false
	}
	_, is := aggregates[c.Name]
	return is
}

// call binds a function.
func (s *Scope) call(e *ast.Call) (Node, error) {
	if known, is := aggregates[e.Name]; is {
		if !known {
			return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "the aggregate %s is not supported", e.Name).
				WithHint("There are count, sum, min, max, avg, bool_and and bool_or."))
		}
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in %s", s.Clause))
	}
	if e.Star || e.Distinct || e.Filter != nil {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.WrongObjectType, "%s is not an aggregate function", e.Name))
	}
	switch e.Name {
	case "coalesce":
		return s.coalesce(e)
	case "nullif":
		return s.nullif(e)
	case "greatest":
		return s.extreme(e, kernels.Gt)
	case "least":
		return s.extreme(e, kernels.Lt)
	}
	nodes := make([]Node, len(e.Args))
	places := make([]int, len(e.Args))
	for i, a := range e.Args {
		n, err := s.Bind(a)
		if err != nil {
			return nil, err
		}
		nodes[i], places[i] = n, a.Pos()
	}
	return s.apply(e.Pos(), e.Name, nodes, places)
}

// apply returns the function called name on nodes, which stand at places.
func (s *Scope) apply(pos int, name string, nodes []Node, places []int) (Node, error) {
	forms, ok := lookup(name)
	if !ok {
		return nil, s.noFunction(pos, name, nodes)
	}
	best, most := -1, -1
	for i := range forms {
		if n := s.fit(&forms[i], nodes); n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return nil, s.noFunction(pos, name, nodes)
	}
	f := &forms[best]
	in := make([]Node, len(nodes))
	for i, n := range nodes {
		t := f.arg(i)
		var err error
		switch {
		case t.Kind == columnar.Invalid && undecided(n): // any type
			in[i], err = s.decide(n, textType, places[i])
		case t.Kind == columnar.Invalid:
			in[i] = n
		default:
			in[i], err = s.coerce(n, t, places[i])
		}
		if err != nil {
			return nil, err
		}
	}
	t := f.result
	if t.Kind == columnar.Invalid {
		t = in[0].Type() // the type of the argument
		if t.Kind == columnar.Decimal {
			t = numericType
		}
	}
	return folded(&strict{typ: t, args: in, vecs: make([]*Vec, len(in)), fn: f.fn(s), lax: f.lax}), nil
}

// arg returns the type of argument i.
func (f *signature) arg(i int) columnar.Type { return f.args[min(i, len(f.args)-1)] }

// fit returns how many of nodes have exactly the types of f, -1 if they cannot be cast
// to them unasked. A literal of undecided type prefers text.
func (s *Scope) fit(f *signature, nodes []Node) int {
	if len(nodes) != len(f.args) && (!f.rest || len(nodes) < len(f.args)) {
		return -1
	}
	score := 0
	for i, n := range nodes {
		t, from := f.arg(i), n.Type()
		switch {
		case t.Kind == columnar.Invalid:
		case undecided(n):
			score += preference(t)
		case from == t:
			score += 2
		default:
			if _, need := s.castOf(from, t, implicit); need > implicit {
				return -1
			}
			if isText(from) || rank(from) == 4 && rank(t) == 4 {
				score += 2 // the same type but for its modifier
			} else if t.Kind != columnar.Text {
				score += preference(t)
			}
		}
	}
	return score
}

// preference returns how much PostgreSQL likes to take t for a type that fits several.
func preference(t columnar.Type) int {
	switch t.Kind {
	case columnar.Text:
		return 2
	case columnar.Float8, columnar.TimestampTZ:
		return 1
	}
	return 0
}

func (s *Scope) noFunction(pos int, name string, nodes []Node) error {
	if name == "generate_series" {
		return s.fail(pos, pgerr.New(pgerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.Clause).
			WithHint("generate_series can stand in FROM."))
	}
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = typeName(n.Type())
	}
	err := pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", name, strings.Join(list, ", "))
	if _, ok := lookup(name); ok {
		err.WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
	} else if near := nearFunction(name); near != "" {
		err.WithHint("There is a function %s.", near)
	} else {
		err.WithHint("A query engine that reads the table through Arrow has more functions.")
	}
	return s.fail(pos, err)
}

// nearFunction returns a function whose name is like name, or "".
func nearFunction(name string) string {
	var names []string
	for _, set := range []map[string][]signature{textFunctions, numberFunctions, timeFunctions} {
		names = slices.AppendSeq(names, maps.Keys(set))
	}
	slices.Sort(names)
	for _, f := range names {
		if distance(name, f, 1) <= 1 {
			return f
		}
	}
	return ""
}

// lookup returns the forms of the function called name.
func lookup(name string) ([]signature, bool) {
	for _, set := range []map[string][]signature{textFunctions, numberFunctions, timeFunctions} {
		if forms, ok := set[name]; ok {
			return forms, true
		}
	}
	return nil, false
}
