package pgtext

import (
	"math"
	"time"
)

// What a text has given so far. A part given twice makes it Syntax.
type parts uint16

const (
	partYear parts = 1 << iota
	partMonth
	partDay
	partYearDay
	partTime
	partZone
	partSummer    // a daylight-saving abbreviation or modifier
	partSummerMod // a modifier
	partMoving    // an abbreviation whose offset depends on the date
	partMeridiem
	partEra
	partWeekday

	partDate = partYear | partMonth | partDay
)

// fields is what a text says, before it becomes a number.
type fields struct {
	word             int8 // wordNone, or the text is this word
	year, month, day int  // after finish: astronomical, and a day that exists
	hour, min, sec   int
	micros           int
	zone             zoneRef
}

// decoder gives the tokens of one text their meaning.
type decoder struct {
	fields
	t         tokens
	at        int            // the token being looked at
	loc       *time.Location // where abbreviations are looked for first; may be nil
	seen      parts
	unit      int8 // the label that the next token must satisfy
	meridiem  int8
	bc        bool
	textMonth bool
	twoDigit  bool // the year had one or two digits
	julian    bool // the date came from a day number
	yearDay   int
}

// decodeDateTime reads a text for a date or timestamp. loc's abbreviations are known to
// it; loc may be nil.
func decodeDateTime(b []byte, loc *time.Location) (fields, Status) {
	d := decoder{loc: loc}
	st := d.dateTime(b)
	return d.fields, st
}

func (d *decoder) dateTime(b []byte) Status {
	st := d.t.cut(b)
	for i := 0; i < d.t.n && st == OK; i++ {
		var got parts
		d.at = i
		switch d.t.list[i].kind {
		case tokDate:
			got, st = d.dateToken(i)
		case tokTime:
			if st = d.timeLabel(); st == OK {
				got = partTime
				st = d.clock(d.t.bytes(i))
			}
			if st == OK && !d.validTime() {
				st = FieldRange
			}
		case tokOffset:
			got = partZone
			d.zone, st = numericZone(d.t.bytes(i))
		case tokNumber:
			got, st = d.numberToken(i)
		default:
			got, st = d.wordToken(i)
		}
		if st == OK && got&d.seen != 0 {
			st = Syntax
		}
		d.seen |= got
	}
	if st == OK {
		st = d.finish()
	}
	return st
}

// finish checks the date and applies what depends on all tokens.
func (d *decoder) finish() Status {
	if d.unit != unitNone {
		return Syntax
	}
	if d.word != wordNone {
		return OK
	}
	if st := d.validDate(); st != OK {
		return st
	}
	if st := d.applyMeridiem(); st != OK {
		return st
	}
	if d.seen&partDate != partDate {
		return Syntax
	}
	return d.checkSummer()
}

// checkSummer refuses a daylight-saving modifier without a fixed zone before it.
func (d *decoder) checkSummer() Status {
	if d.seen&partSummerMod != 0 && (d.seen&partZone == 0 || d.zone.kind != zoneFixed) {
		return Syntax
	}
	return OK
}

// timeLabel consumes a T before a time; any other label is wrong there.
func (d *decoder) timeLabel() Status {
	if d.unit != unitNone && d.unit != unitTime {
		return Syntax
	}
	d.unit = unitNone
	return OK
}

func (d *decoder) dateToken(i int) (parts, Status) {
	text := d.t.bytes(i)
	switch {
	case d.unit == unitJulian:
		// A day number with a zone behind it, as in J2451187-08.
		n, digits := leadingInt(text)
		if n > math.MaxInt32 {
			return 0, FieldRange
		}
		d.setJulian(int(n))
		d.unit = unitNone
		var st Status
		d.zone, st = numericZone(text[digits:])
		return partDate | partTime | partZone, st
	case d.unit != unitNone || d.seen&(partMonth|partDay) == partMonth|partDay:
		if !isDigit(text[0]) && d.unit == unitNone {
			return partZone, d.namedZone(i)
		}
		if st := d.timeLabel(); st != OK || d.seen&partTime != 0 {
			return 0, Syntax
		}
		return d.timeAndZone(text, d.seen)
	}
	return d.date(text)
}

// timeAndZone reads a run-together time with a zone behind a hyphen: 040506.789-08.
func (d *decoder) timeAndZone(text []byte, seen parts) (got parts, st Status) {
	cut := 0
	for cut < len(text) && text[cut] != '-' {
		cut++
	}
	if cut == len(text) {
		return 0, Syntax
	}
	if d.zone, st = numericZone(text[cut:]); st != OK {
		return 0, st
	}
	got, st = d.runTogether(text[:cut], seen)
	return got | partZone, st
}

func (d *decoder) numberToken(i int) (parts, Status) {
	text := d.t.bytes(i)
	if d.unit != unitNone {
		return d.labelled(text, d.seen)
	}
	point := indexByte(text, '.')
	switch {
	case point >= 0 && d.seen&partDate == 0:
		return d.date(text)
	case point > 2,
		len(text) >= 6 && (d.seen&partDate == 0 || d.seen&partTime == 0):
		return d.runTogether(text, d.seen)
	}
	return d.number(text, d.textMonth, d.seen)
}

// labelled reads a number whose meaning the word before it gave.
func (d *decoder) labelled(text []byte, seen parts) (got parts, st Status) {
	unit := d.unit
	d.unit = unitNone
	n, digits := leadingInt(text)
	rest := text[digits:]
	switch {
	case n > math.MaxInt32:
		return 0, FieldRange
	case len(rest) > 0 && rest[0] != '.':
		return 0, Syntax
	case unit == unitTime:
		got, st = d.runTogether(text, seen|partDate)
		if st == OK && got != partTime {
			st = Syntax
		}
		return got, st
	case unit != unitJulian:
		return 0, Syntax
	}
	d.setJulian(int(n))
	if len(rest) == 0 {
		return partDate, OK
	}
	f, ok := fraction(rest)
	if !ok {
		return 0, Syntax
	}
	us := int(f * usPerDay)
	d.hour, us = us/(3600*usPerSecond), us%(3600*usPerSecond)
	d.min, us = us/(60*usPerSecond), us%(60*usPerSecond)
	d.sec, d.micros = us/usPerSecond, us%usPerSecond
	return partDate | partTime, OK
}

func (d *decoder) setJulian(n int) {
	d.julian = true
	d.year, d.month, d.day = civilFromDays(n - julianEpoch)
}

func (d *decoder) wordToken(i int) (got parts, st Status) {
	text := d.t.bytes(i)
	if z, ok := abbreviation(text, d.loc); ok {
		d.zone = z
		return z.parts(), OK
	}
	w := lookupWord(text)
	switch w.kind {
	case wordReserved:
		switch w.value {
		case wordClock:
			return 0, Syntax
		case wordAllBalls:
			d.allBalls()
			return partTime | partZone, OK
		}
		d.word = w.value
		return partDate | partTime | partZone, OK
	case wordMonth:
		got = partMonth
		if d.seen&(partMonth|partDay) == partMonth && !d.textMonth && uint(d.month-1) < 31 {
			// The number taken for a month was the day.
			d.day = d.month
			got = partDay
		}
		d.textMonth = true
		d.month = int(w.value)
		return got, OK
	case wordWeekday:
		return partWeekday, OK
	case wordISOTime:
		if d.seen&partDate != partDate {
			return 0, Syntax
		}
	}
	return d.commonWord(w, i)
}

// commonWord handles the words that a time may have too.
func (d *decoder) commonWord(w word, i int) (parts, Status) {
	switch w.kind {
	case wordIgnored:
		return 0, OK
	case wordMeridiem:
		d.meridiem = w.value
		return partMeridiem, OK
	case wordEra:
		d.bc = w.value == 1
		return partEra, OK
	case wordDST:
		d.zone.offset += 3600
		return partSummer | partSummerMod, OK
	case wordUnit, wordISOTime:
		if d.unit != unitNone {
			return 0, Syntax
		}
		d.unit = w.value
		return 0, OK
	case wordUnknown:
		if d.namedZone(i) == OK {
			return partZone, OK
		}
	}
	return 0, Syntax
}

func (d *decoder) allBalls() {
	d.hour, d.min, d.sec = 0, 0, 0
	d.zone = zoneRef{kind: zoneFixed}
}

func (d *decoder) namedZone(i int) (st Status) {
	folded, exact := d.t.name(i)
	z, ok := namedZone(folded, exact)
	if !ok {
		return ZoneUnknown
	}
	d.zone = z
	return OK
}

// date reads a date whose fields stand between separators, or a year and a day of year.
func (d *decoder) date(text []byte) (got parts, st Status) {
	var runs [maxTokens][]byte
	n := 0
	for i := 0; i < len(text) && n < len(runs); n++ {
		for i < len(text) && !isDigit(text[i]) && !isAlpha(text[i]) {
			i++
		}
		if i == len(text) {
			return 0, Syntax
		}
		start := i
		class := isAlpha
		if isDigit(text[i]) {
			class = isDigit
		}
		for i < len(text) && class(text[i]) {
			i++
		}
		runs[n] = text[start:i]
		i++ // whatever ends a field is dropped, even a digit
	}
	seen := d.seen
	textMonth := false
	for _, run := range runs[:n] {
		if !isAlpha(run[0]) {
			continue
		}
		w := lookupWord(run)
		if w.kind != wordMonth || seen&partMonth != 0 {
			return 0, Syntax
		}
		d.month = int(w.value)
		textMonth = true
		seen |= partMonth
		got |= partMonth
	}
	for _, run := range runs[:n] {
		if isAlpha(run[0]) {
			continue
		}
		more, st := d.number(run, textMonth, seen)
		if st != OK {
			return 0, st
		}
		if more&seen != 0 {
			return 0, Syntax
		}
		seen |= more
		got |= more
	}
	if seen&^(partYearDay|partZone) != partDate {
		return 0, Syntax
	}
	return got, OK
}

// number reads one number as the date field that is due: month, day, year, unless a
// first number of three digits or more says that it is a year.
func (d *decoder) number(text []byte, textMonth bool, seen parts) (got parts, st Status) {
	n, digits := leadingInt(text)
	switch {
	case n > math.MaxInt32:
		return 0, FieldRange
	case digits == 0:
		return 0, Syntax
	case digits < len(text):
		if text[digits] != '.' {
			return 0, Syntax
		}
		if digits > 2 {
			return d.runTogether(text, seen|partDate)
		}
		if st = d.fractionMicros(text[digits:]); st != OK {
			return 0, st
		}
	}
	v := int(n)
	have := seen & partDate
	if len(text) == 3 && have == partYear && v >= 1 && v <= 366 {
		d.yearDay = v
		return partYearDay | partMonth | partDay, OK
	}
	switch have {
	case 0:
		got = partMonth
		if len(text) >= 3 {
			got = partYear
		}
	case partYear, partDay:
		got = partMonth
	case partMonth:
		got = partDay
		if textMonth && len(text) >= 3 {
			got = partYear
		}
	case partYear | partMonth:
		got = partDay
		if textMonth && len(text) >= 3 && d.twoDigit {
			// What was taken for a year of two digits was the day.
			d.day, d.year = d.year, v
			d.twoDigit = false
			return partDay, OK
		}
	case partMonth | partDay:
		got = partYear
	case partDate:
		return d.runTogether(text, seen)
	default:
		return 0, Syntax
	}
	switch got {
	case partYear:
		d.year = v
		d.twoDigit = len(text) <= 2
	case partMonth:
		d.month = v
	case partDay:
		d.day = v
	}
	return got, OK
}

// runTogether reads digits without separators: a date of six or more while none is
// complete, else a time of four or six, which may have a fraction.
func (d *decoder) runTogether(text []byte, seen parts) (parts, Status) {
	point := -1
	for i, c := range text {
		switch {
		case isDigit(c):
		case c == '.' && point < 0:
			point = i
		default:
			return 0, Syntax
		}
	}
	if point >= 0 {
		if st := d.fractionMicros(text[point:]); st != OK {
			return 0, st
		}
		text = text[:point]
	} else if seen&partDate != partDate && len(text) >= 6 {
		n := len(text)
		year, _ := leadingInt(text[:n-4])
		d.year = int(min(year, math.MaxInt32))
		d.month = pair(text[n-4:])
		d.day = pair(text[n-2:])
		if n == 6 {
			d.twoDigit = true
		}
		return partDate, OK
	}
	if seen&partTime == 0 && (len(text) == 4 || len(text) == 6) {
		d.hour, d.min, d.sec = pair(text), pair(text[2:]), 0
		if len(text) == 6 {
			d.sec = pair(text[4:])
		}
		return partTime, OK
	}
	return 0, Syntax
}

// clock reads hh:mm[:ss[.fraction]] or mm:ss.fraction; numbers may be missing.
func (d *decoder) clock(text []byte) Status {
	hour, n := leadingInt(text)
	if hour == math.MaxInt64 {
		return FieldRange
	}
	text = text[n+1:] // the tokenizer saw a colon there
	minute, n := leadingInt(text)
	if minute > math.MaxInt32 {
		return FieldRange
	}
	rest := text[n:]
	sec := int64(0)
	d.micros = 0
	if len(rest) > 0 && rest[0] == ':' {
		if sec, n = leadingInt(rest[1:]); sec > math.MaxInt32 {
			return FieldRange
		}
		rest = rest[1+n:]
		if len(rest) > 0 && rest[0] != '.' {
			return Syntax
		}
	} else if len(rest) > 0 {
		hour, minute, sec = 0, hour, minute
	}
	if len(rest) > 0 {
		if st := d.fractionMicros(rest); st != OK {
			return st
		}
	}
	if hour > math.MaxInt32 || minute > 59 || sec > 60 {
		return FieldRange
	}
	d.hour, d.min, d.sec = int(hour), int(minute), int(sec)
	return OK
}
