package expr

import (
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
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

// Zone returns the time zone called name; ok is false if there is none.
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
	loc, err := time.LoadLocation(strings.Join(words, "/"))
	return loc, err == nil
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
		return 0, outOfRange(timestampType)
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
