package sql

import (
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// accepted has the settings of PostgreSQL that scripts and dumps set, with the values
// that say what ingot does anyway; nil takes every value.
var accepted = map[string][]string{
	"client_encoding":             {"utf8", "utf-8", "unicode"},
	"standard_conforming_strings": {"on", "true", "yes", "1"},
	"datestyle":                   {"iso", "iso, mdy", "mdy"},
	"statement_timeout":           {"0"},
	"lock_timeout":                {"0"},
	"client_min_messages":         nil,
	"check_function_bodies":       nil,
	"row_security":                nil,
	"search_path":                 {"", "public"},
	"default_tablespace":          {""},
	"application_name":            nil,
	"extra_float_digits":          {"1", "2", "3"},
}

// set runs SET and RESET.
func (r *run) set(stmt *ast.Set) (*Result, error) {
	tag := "SET"
	name := strings.ToLower(stmt.Name)
	if name != "timezone" {
		allowed, known := accepted[name]
		if !known {
			return nil, r.at(stmt.Pos(), pgerr.New(pgerr.UndefinedObject,
				"unrecognized configuration parameter \"%s\"", stmt.Name).
				WithHint("SET TIME ZONE is the one setting of a session."))
		}
		if !stmt.Default && allowed != nil && !contains(allowed, settingText(stmt.Value)) {
			return nil, r.at(stmt.Pos(), pgerr.New(pgerr.FeatureNotSupported,
				"parameter \"%s\" cannot be set to \"%s\"", stmt.Name, settingText(stmt.Value)))
		}
		return command(tag), nil
	}
	if stmt.Default {
		r.loc = r.opt.Location
		return command(tag), nil
	}
	loc, ok := zoneOf(stmt.Value)
	if !ok {
		return nil, r.at(stmt.Pos(), pgerr.New(pgerr.InvalidParameterValue,
			"invalid value for parameter \"TimeZone\": \"%s\"", settingText(stmt.Value)).
			WithHint("Use a name such as UTC or Europe/Berlin, or hours east of Greenwich as a number."))
	}
	r.loc = loc
	return command(tag), nil
}

func contains(list []string, text string) bool {
	for _, s := range list {
		if strings.EqualFold(s, text) {
			return true
		}
	}
	return false
}

// settingText returns a value as SHOW would print it.
func settingText(v ast.Value) string {
	if v.Kind != ast.ListValue {
		return v.Text
	}
	parts := make([]string, len(v.List))
	for i, e := range v.List {
		parts[i] = e.Text
	}
	return strings.Join(parts, ", ")
}

// zoneOf returns the zone that a value names: a name, or hours east of Greenwich.
func zoneOf(v ast.Value) (*time.Location, bool) {
	if v.Kind != ast.NumberValue {
		return expr.Zone(v.Text)
	}
	n, ok := num.Parse([]byte(strings.TrimPrefix(v.Text, "+")))
	seconds, fits := num.Mul(n, num.Int(3600)).Int64()
	if !ok || !fits || seconds < -16*3600 || seconds > 16*3600 {
		return nil, false
	}
	if seconds == 0 {
		return time.UTC, true
	}
	return time.FixedZone(v.Text, int(seconds)), true
}

// show runs SHOW.
func (r *run) show(stmt *ast.Show) (*Result, error) {
	text := ""
	switch name := strings.ToLower(stmt.Name); name {
	case "timezone":
		text = r.loc.String()
	case "server_version":
		text = "ingot"
	case "server_encoding", "client_encoding":
		text = "UTF8"
	case "transaction_isolation":
		text = "serializable"
	default:
		return nil, r.at(stmt.Pos(), pgerr.New(pgerr.UndefinedObject, "unrecognized configuration parameter \"%s\"", stmt.Name))
	}
	return textRows("SHOW", stmt.Name, []string{text}), nil
}

// textRows returns a result of one text column.
func textRows(statement, column string, lines []string) *Result {
	t := columnar.Type{Kind: columnar.Text}
	res := &Result{Statement: statement, Tag: statement, Columns: []ResultColumn{{Name: column, Type: t}}}
	offsets := []int32{0}
	var data []byte
	for _, l := range lines {
		data = append(data, l...)
		offsets = append(offsets, int32(len(data)))
	}
	v := columnar.MakeVec(t, len(lines), nil, nil, nil, offsets, data, nil)
	res.Batches = func(yield func(*RowBatch, error) bool) {
		res.Rows = int64(len(lines))
		yield(&RowBatch{Rows: len(lines), Cols: []columnar.Vec{v}}, nil)
	}
	return res
}
