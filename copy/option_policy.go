package copy

import (
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// OnError says what becomes of a value that its column's type does not take. What is
// wrong with the structure of the input, its encoding or a constraint ends the COPY
// whatever OnError says.
type OnError uint8

// The policies.
const (
	ErrorStop    OnError = iota // the COPY ends
	ErrorIgnore                 // the row is left out
	ErrorSetNull                // the value becomes NULL
)

// Verbosity says how much a COPY tells of what OnError and OnConflict did.
type Verbosity uint8

// The levels.
const (
	Silent  Verbosity = iota // nothing
	Summary                  // one notice with the number of rows
	Verbose                  // and one for each value
)

// policy is the options that say what becomes of rows that cannot be stored as they are.
type policy struct {
	onError     OnError
	rejectLimit int64 // 0: none
	verbosity   Verbosity
	rejects     string
	onConflict  columnar.OnConflict
	freeze      bool
}

// read reads option o if it is one of the policy's.
func (p *policy) read(name string, o *Option, from bool) (known bool, err error) {
	n := 0
	switch name {
	case "on_error":
		n, err = o.choice(from, "stop", "ignore", "set_null")
		p.onError = OnError(n)
	case "log_verbosity":
		n, err = o.choice(true, "silent", "default", "verbose")
		p.verbosity = Verbosity(n)
	case "on_conflict":
		n, err = o.choice(from, "error", "ignore", "replace")
		p.onConflict = columnar.OnConflict(n)
	case "reject_limit":
		p.rejectLimit, err = o.rejectLimit(from)
	case "rejects":
		p.rejects, err = o.tableName(from)
	case "freeze":
		p.freeze, err = o.boolean()
	default:
		return false, nil
	}
	return true, err
}

// check applies the rules that hold between these options and the others.
func (p *policy) check(from bool) error {
	requires := func(name string) error {
		return pgerr.New(pgerr.InvalidParameterValue, "COPY %s requires %s to be set to %s", name, "ON_ERROR", "IGNORE")
	}
	switch {
	case p.freeze && !from:
		return onlyFrom("FREEZE")
	case p.rejectLimit > 0 && p.onError != ErrorIgnore:
		return requires("REJECT_LIMIT")
	case p.rejects != "" && p.onError != ErrorIgnore:
		return requires("REJECTS")
	}
	return nil
}

// onlyFrom refuses an option of COPY FROM in a COPY TO.
func onlyFrom(name string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "COPY %s cannot be used with %s", name, "COPY TO")
}

// choice returns which of words the one value of o is.
func (o *Option) choice(allowed bool, words ...string) (int, error) {
	name := strings.ToUpper(o.Name)
	if !allowed {
		return 0, onlyFrom(name)
	}
	v, err := o.text()
	if err != nil {
		return 0, err
	}
	for i, w := range words {
		if strings.EqualFold(*v, w) {
			return i, nil
		}
	}
	return 0, pgerr.New(pgerr.InvalidParameterValue, "COPY %s \"%s\" not recognized", name, *v).
		WithHint("It can be %s.", strings.Join(words, ", "))
}

// rejectLimit reads REJECT_LIMIT.
func (o *Option) rejectLimit(from bool) (int64, error) {
	if !from {
		return 0, onlyFrom("REJECT_LIMIT")
	}
	v, err := o.text()
	if err != nil {
		return 0, pgerr.New(pgerr.SyntaxError, "%s requires a numeric value", strings.ToLower(o.Name))
	}
	n, err := strconv.ParseInt(*v, 10, 64)
	switch {
	case err != nil && o.Values[0].Kind == String:
		return 0, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type bigint: \"%s\"", *v)
	case err != nil:
		return 0, pgerr.New(pgerr.SyntaxError, "%s requires a numeric value", strings.ToLower(o.Name))
	case n <= 0:
		return 0, pgerr.New(pgerr.InvalidParameterValue, "REJECT_LIMIT (%d) must be greater than zero", n)
	}
	return n, nil
}

// tableName reads the name of a table.
func (o *Option) tableName(from bool) (string, error) {
	if !from {
		return "", onlyFrom(strings.ToUpper(o.Name))
	}
	v, err := o.text()
	switch {
	case err != nil:
		return "", err
	case *v == "" || o.Values[0].Kind == Number:
		return "", pgerr.New(pgerr.InvalidParameterValue, "argument to option \"%s\" must be the name of a table", strings.ToLower(o.Name))
	}
	return *v, nil
}

// boolean returns the one value of o; none stands for true.
func (o *Option) boolean() (bool, error) {
	if len(o.Values) == 0 {
		return true, nil
	}
	v, err := o.text()
	if err != nil {
		return false, err
	}
	switch strings.ToLower(*v) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", strings.ToLower(o.Name))
}
