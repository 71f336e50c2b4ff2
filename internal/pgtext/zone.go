package pgtext

import (
	"bytes"
	"math"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// maxOffsetHour is the largest hour of a numeric zone.
const maxOffsetHour = 15

type zoneKind uint8

const (
	zoneNone    zoneKind = iota
	zoneFixed            // offset
	zoneNamed            // loc, or offset if loc is nil
	zoneMoving           // an abbreviation whose offset changed over time, of loc
	zoneCallers          // an abbreviation of the caller's location, loc
)

const maxAbbrevLen = 10

// zoneRef is a zone that a text names.
type zoneRef struct {
	kind   zoneKind
	summer bool // a daylight-saving abbreviation
	offset int  // seconds east of UTC
	loc    *time.Location
	abbrev [maxAbbrevLen]byte // lower case, zero-padded
}

// numericZone reads a sign and hh, hhmm, hh:mm or hh:mm:ss. A number may be missing, and
// one with a second sign is out of range unless it is zero.
func numericZone(text []byte) (zoneRef, Status) {
	z := zoneRef{kind: zoneFixed}
	if len(text) == 0 || text[0] != '+' && text[0] != '-' {
		return z, Syntax
	}
	hour, rest := zoneNumber(text[1:])
	var minute, sec int64
	if hour > math.MaxInt32 || hour < -math.MaxInt32 {
		return z, ZoneRange
	}
	if len(rest) > 0 && rest[0] == ':' {
		minute, rest = zoneNumber(rest[1:])
		if len(rest) > 0 && rest[0] == ':' {
			sec, rest = zoneNumber(rest[1:])
		}
	} else if len(rest) == 0 && len(text) > 3 {
		hour, minute = hour/100, hour%100
	}
	if uint64(hour) > maxOffsetHour || uint64(minute) > 59 || uint64(sec) > 59 {
		return z, ZoneRange
	}
	if len(rest) > 0 {
		return z, Syntax
	}
	z.offset = int((hour*60+minute)*60 + sec)
	if text[0] == '-' {
		z.offset = -z.offset
	}
	return z, OK
}

func zoneNumber(text []byte) (v int64, rest []byte) {
	if len(text) > 1 && text[0] == '-' && isDigit(text[1]) {
		v, n := leadingInt(text[1:])
		return -v, text[1+n:]
	}
	v, n := leadingInt(text)
	return v, text[n:]
}

// abbreviation finds a zone abbreviation, in lower case: first among those that loc uses
// now, then in PostgreSQL's default set, then among those that loc ever used.
func abbreviation(text []byte, loc *time.Location) (z zoneRef, ok bool) {
	if len(text) > maxAbbrevLen {
		return z, false
	}
	if loc == time.UTC {
		loc = nil
	}
	if loc != nil && usesAbbrev(loc, text) {
		return callersZone(text, loc), true
	}
	i := sort.Search(len(abbrevs), func(i int) bool { return abbrevs[i].text >= string(text) })
	if i < len(abbrevs) && abbrevs[i].text == string(text) {
		return tableZone(&abbrevs[i])
	}
	if loc != nil && lookupWord(text).kind == wordUnknown {
		if _, ok := abbrevOffset(loc, text, modern); ok {
			return callersZone(text, loc), true
		}
	}
	return z, false
}

func callersZone(text []byte, loc *time.Location) zoneRef {
	z := zoneRef{kind: zoneMoving, loc: loc}
	copy(z.abbrev[:], text)
	return z
}

func tableZone(a *abbrev) (z zoneRef, ok bool) {
	if a.zone == "" {
		return zoneRef{kind: zoneFixed, summer: a.summer, offset: int(a.offset)}, true
	}
	z.kind = zoneMoving
	copy(z.abbrev[:], a.text)
	if z.loc = cachedZone(a.zone); z.loc == nil {
		if z.loc = loadZone(a.zone); z.loc == nil {
			return z, false
		}
		addZone(a.zone, z.loc)
	}
	return z, true
}

// parts returns what a text has given with the zone.
func (z *zoneRef) parts() parts {
	switch {
	case z.kind == zoneMoving:
		return partZone | partMoving
	case z.summer:
		return partZone | partSummer
	}
	return partZone
}

// Instants in seconds since 1970: one at which a zone is asked what it uses now, and one
// beyond which nothing but its present rule is known.
const (
	modern  = 1704067200 // 2024-01-01
	horizon = 2145916800 // 2038-01-01

	halfYear = 182 * 86400
)

// usesAbbrev reports whether loc uses an abbreviation, in lower case, now.
func usesAbbrev(loc *time.Location, text []byte) bool {
	t := time.Unix(modern, 0).In(loc)
	winter, _ := t.Zone()
	summer, _ := t.Add(halfYear * time.Second).Zone()
	return equalFold(text, winter) || equalFold(text, summer)
}

// abbrevOffset returns the offset of an abbreviation, in lower case, in a zone that used
// it: as it was at an instant or last before that, else as it was first after it.
func abbrevOffset(loc *time.Location, text []byte, sec int64) (offset int, ok bool) {
	from := time.Unix(min(sec, horizon), 0).In(loc)
	for t := from; ; {
		name, offset := t.Zone()
		if equalFold(text, name) {
			return offset, true
		}
		start, _ := t.ZoneBounds()
		if start.IsZero() {
			break
		}
		t = start.Add(-time.Second)
	}
	for t := from; t.Unix() <= horizon; {
		name, offset := t.Zone()
		if equalFold(text, name) {
			return offset, true
		}
		if _, t = t.ZoneBounds(); t.IsZero() {
			break
		}
	}
	return 0, false
}

// equalFold compares text, in lower case, with a name.
func equalFold(text []byte, name string) bool {
	if len(text) != len(name) {
		return false
	}
	for i := range text {
		if text[i] != lower(name[i]) {
			return false
		}
	}
	return true
}

// constant reports whether the zone has had one offset at all times.
func (z *zoneRef) constant() bool {
	if z.loc == nil {
		return true
	}
	start, end := time.Unix(0, 0).In(z.loc).ZoneBounds()
	return start.IsZero() && end.IsZero()
}

// zoneOffset returns the zone's offset at the local time f, in seconds east; loc is the zone
// of a text that names none.
func (f *fields) zoneOffset(loc *time.Location) int {
	z := &f.zone
	switch z.kind {
	case zoneFixed:
		return z.offset
	case zoneNone:
		return f.offsetIn(loc)
	case zoneNamed:
		if z.loc == nil {
			return z.offset
		}
		return f.offsetIn(z.loc)
	}
	offset := f.offsetIn(z.loc)
	text := bytes.TrimRight(z.abbrev[:], "\x00")
	sec := f.localSeconds() - int64(offset)
	if o, ok := abbrevOffset(z.loc, text, sec); ok {
		return o
	}
	return offset
}

func (f *fields) localSeconds() int64 {
	return int64(daysFromCivil(f.year, f.month, f.day))*86400 + int64((f.hour*60+f.min)*60+f.sec)
}

func (f *fields) offsetIn(loc *time.Location) int {
	if loc == time.UTC {
		return 0
	}
	return localOffset(f.localSeconds(), loc)
}

// localOffset returns the offset of loc at a local time, given as seconds since
// 1970-01-01 00:00:00 local.
//
// The offset a day before and the next change decide: changes are more than two days
// apart and offsets less than a day. A local time that does not exist takes the offset
// before the change, one that exists twice the offset after it.
func localOffset(local int64, loc *time.Location) int {
	prev := time.Unix(local-86400, 0).In(loc)
	_, before := prev.Zone()
	_, end := prev.ZoneBounds()
	change := end.Unix()
	if end.IsZero() || change-local > 2*86400 {
		return before
	}
	_, after := end.Zone()
	ifBefore, ifAfter := local-int64(before), local-int64(after)
	switch {
	case ifBefore < change && ifAfter < change:
		return before
	case ifBefore > change && ifAfter >= change:
		return after
	case ifBefore > ifAfter:
		return before
	}
	return after
}

// zoneCache maps names to zones that were found: the lower-case names of texts and the
// exact ones in abbrevs. It is copied to be changed, so that looking up takes no lock and
// allocates nothing; the time zone database bounds it.
var zoneCache atomic.Pointer[map[string]*time.Location]

// cachedZone returns the zone of that name if it was found before, or nil.
func cachedZone(name string) *time.Location {
	if m := zoneCache.Load(); m != nil {
		return (*m)[name]
	}
	return nil
}

// namedZone finds a zone by its name in the time zone database, in any case, or by a name
// followed by an offset in POSIX's sense (UTC+3 is three hours west).
func namedZone(folded, exact []byte) (z zoneRef, ok bool) {
	z.kind = zoneNamed
	if z.loc = cachedZone(unsafe.String(unsafe.SliceData(folded), len(folded))); z.loc != nil {
		return z, true
	}
	if z.loc = loadZone(string(exact)); z.loc != nil {
		addZone(string(folded), z.loc)
		return z, true
	}
	z.offset, ok = posixOffset(folded)
	return z, ok
}

func addZone(name string, loc *time.Location) {
	for {
		old := zoneCache.Load()
		next := map[string]*time.Location{name: loc}
		if old != nil {
			for k, v := range *old {
				next[k] = v
			}
		}
		if zoneCache.CompareAndSwap(old, &next) {
			return
		}
	}
}

// loadZone returns the zone of that name, or nil. Names of the database are tried in the
// spelling given, in capitals, and with each word capitalized.
func loadZone(name string) *time.Location {
	if len(name) < 2 || strings.EqualFold(name, "local") || strings.EqualFold(name, "localtime") {
		return nil
	}
	for _, spelling := range [...]string{name, strings.ToUpper(name), titleZone(name)} {
		if loc, err := time.LoadLocation(spelling); err == nil {
			return loc
		}
	}
	return nil
}

// oddZones are the parts of zone names that titleZone would spell wrong.
var oddZones = map[string]string{
	"of": "of", "es": "es", "au": "au", "gmt": "GMT", "utc": "UTC", "uct": "UCT",
	"us": "US", "mcmurdo": "McMurdo", "dumontdurville": "DumontDUrville",
	"comodrivadavia": "ComodRivadavia", "acst": "ACST", "nsw": "NSW", "lhi": "LHI", "act": "ACT",
	"easterisland": "EasterIsland", "bajanorte": "BajaNorte", "bajasur": "BajaSur",
	"denoronha": "DeNoronha",
}

// titleZone spells a zone name as the database does: words between / - _ capitalized,
// with the exceptions in oddZones.
func titleZone(name string) string {
	out := make([]byte, 0, len(name))
	for len(name) > 0 {
		n := strings.IndexAny(name, "/-_+0123456789")
		sep := ""
		if n < 0 {
			n = len(name)
		} else {
			sep = name[n : n+1]
		}
		part := strings.ToLower(name[:n])
		if odd, ok := oddZones[part]; ok {
			part = odd
		} else if part != "" && isAlpha(part[0]) {
			part = string(part[0]-'a'+'A') + part[1:]
		}
		out = append(out, part...)
		out = append(out, sep...)
		name = name[n+len(sep):]
	}
	return string(out)
}

// posixOffset reads a name, which is anything without digits, signs and commas, and
// [+-]h[:mm[:ss]], the offset counted westwards, and returns seconds east. POSIX's names
// for daylight-saving time, which may follow, are not read.
func posixOffset(text []byte) (offset int, ok bool) {
	i := bytes.IndexAny(text, "+-,0123456789")
	if i <= 0 {
		return 0, false
	}
	sign := -1
	if text[i] == '+' || text[i] == '-' {
		if text[i] == '-' {
			sign = 1
		}
		i++
	}
	hms := [3]int64{}
	for k := range hms {
		v, n := leadingInt(text[i:])
		if n == 0 || v > 167 || k > 0 && v > 59 {
			return 0, false
		}
		hms[k] = v
		i += n
		if i == len(text) {
			return sign * int((hms[0]*60+hms[1])*60+hms[2]), true
		}
		if text[i] != ':' {
			return 0, false
		}
		i++
	}
	return 0, false
}
