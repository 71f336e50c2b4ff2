package expr

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

const (
	secondUS = int64(1_000_000)
	dayUS    = 86_400 * secondUS
)

// The infinities of days and of instants.
const (
	noDay, allDays         = int64(-1 << 31), int64(1<<31 - 1)
	noInstant, allInstants = int64(-1 << 63), int64(1<<63 - 1)
)

// Zone returns the time zone called name: a name of the time zone database, in any case,
// or a POSIX offset, which counts west of Greenwich. ok is false if there is none.
func Zone(name string) (loc *time.Location, ok bool) {
	switch strings.ToLower(name) {
	case "", "local":
		return nil, false
	case "utc", "gmt", "z", "zulu", "etc/utc":
		return time.UTC, true
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc, true
	}
	// Names of the zone data have capitals where PostgreSQL does not care.
	words := strings.Split(strings.ToLower(name), "/")
	for i, w := range words {
		parts := strings.Split(w, "_")
		for j, p := range parts {
			if p != "" {
				parts[j] = strings.ToUpper(p[:1]) + p[1:]
			}
		}
		words[i] = strings.Join(parts, "_")
	}
	if loc, err := time.LoadLocation(strings.Join(words, "/")); err == nil {
		return loc, true
	}
	return posixZone(name)
}

// abbreviated returns the zone that an abbreviation such as PST stands for about the time
// at.
func abbreviated(name string, at int64) (*time.Location, bool) {
	for _, c := range []byte(name) {
		if c < 'A' || c > 'z' || c > 'Z' && c < 'a' {
			return nil, false
		}
	}
	if at == noInstant || at == allInstants {
		at = 0
	}
	text := append(pgtext.AppendTimestamp(nil, at), ' ')
	us, st := pgtext.TimestampTZ(append(text, name...), time.UTC)
	if st != pgtext.OK || name == "" {
		return nil, false
	}
	return time.FixedZone(name, int((at-us)/secondUS)), true
}

// posix matches a zone given by its offset from UTC, west of Greenwich positive.
var posix = regexp.MustCompile(`^(?:<[-+A-Za-z0-9]+>|[A-Za-z]*)([-+]?)(\d{1,2})(?::(\d\d))?(?::(\d\d))?$`)

// posixZone returns the zone of a POSIX offset such as +05:30 or UTC-3.
func posixZone(name string) (*time.Location, bool) {
	m := posix.FindStringSubmatch(name)
	if m == nil {
		return nil, false
	}
	seconds := 0
	for i, unit := range []int{3600, 60, 1} {
		n, _ := strconv.Atoi(m[i+2]) // two digits or none
		seconds += n * unit
	}
	if seconds > 24*3600 {
		return nil, false
	}
	if m[1] != "-" {
		seconds = -seconds
	}
	return time.FixedZone(name, seconds), true
}

// toLocal returns the wall time in loc at an instant.
func toLocal(us int64, loc *time.Location) int64 {
	if loc == time.UTC || us == noInstant || us == allInstants {
		return us
	}
	_, offset := time.UnixMicro(us).In(loc).Zone()
	return us + int64(offset)*secondUS
}

// toInstant returns the instant at which the clocks of loc show us, as PostgreSQL
// chooses it where they show it twice or never.
func toInstant(us int64, loc *time.Location) (int64, error) {
	if loc == time.UTC || us == noInstant || us == allInstants {
		return us, nil
	}
	var buf [40]byte
	v, st := pgtext.TimestampTZ(pgtext.AppendTimestamp(buf[:0], us), loc)
	if st != pgtext.OK {
		return 0, outOfRange(timestampTZType)
	}
	return v, nil
}

// dayToInstant returns the beginning of a day.
func dayToInstant(day int64) (int64, error) {
	switch {
	case day == noDay:
		return noInstant, nil
	case day == allDays:
		return allInstants, nil
	case day > allInstants/dayUS-1 || day < noInstant/dayUS+1:
		return 0, pgerr.New(pgerr.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return day * dayUS, nil
}

// dayOf returns the day of a wall time.
func dayOf(us int64) int64 {
	switch us {
	case noInstant:
		return noDay
	case allInstants:
		return allDays
	}
	return floorDiv(us, dayUS)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// timeCast returns the cast from a type of days to another, or to time.
func (s *Scope) timeCast(from, to columnar.Type) (function, context) {
	need := assignment
	if timeRank(to) > timeRank(from) {
		need = implicit
	}
	if from.Kind == columnar.Date && to.Kind == columnar.Time {
		return nil, never
	}
	loc := s.Loc()
	return func(out result, a args) error {
		us := a.int(0)
		var err error
		// To a wall time, then to what is wanted.
		switch from.Kind {
		case columnar.Date:
			us, err = dayToInstant(us)
		case columnar.TimestampTZ:
			us = toLocal(us, loc)
		}
		if err != nil {
			return err
		}
		switch to.Kind {
		case columnar.Date:
			us = dayOf(us)
		case columnar.Time:
			if us == noInstant || us == allInstants {
				out.null()
				return nil
			}
			us -= floorDiv(us, dayUS) * dayUS
		case columnar.TimestampTZ:
			us, err = toInstant(us, loc)
		}
		out.setInt(us)
		return err
	}, need
}
