package pgtext

// decodeTime reads a text for a time without time zone. Its rules are those of
// decodeDateTime except that numbers are times, that a date is only taken where a zone
// may need one, and that few words are.
func decodeTime(b []byte) (fields, Status) {
	var d decoder
	st := d.timeOnly(b)
	return d.fields, st
}

func (d *decoder) timeOnly(b []byte) Status {
	st := d.t.cut(b)
	for i := 0; i < d.t.n && st == OK; i++ {
		var got parts
		d.at = i
		switch d.t.list[i].kind {
		case tokDate:
			got, st = d.timeDateToken(i)
		case tokTime:
			if st = d.timeLabel(); st == OK {
				got = partTime
				st = d.clock(d.t.bytes(i))
			}
		case tokOffset:
			got = partZone
			d.zone, st = numericZone(d.t.bytes(i))
		case tokNumber:
			got, st = d.timeNumberToken(i)
		default:
			got, st = d.timeWordToken(i)
		}
		if st == OK && got&d.seen != 0 {
			st = Syntax
		}
		d.seen |= got
	}
	if st == OK {
		st = d.finishTime()
	}
	return st
}

func (d *decoder) finishTime() Status {
	if d.unit != unitNone {
		return Syntax
	}
	if st := d.validDate(); st != OK {
		return st
	}
	if st := d.applyMeridiem(); st != OK {
		return st
	}
	if !d.validTime() {
		return FieldRange
	}
	if d.seen&partTime == 0 {
		return Syntax
	}
	date := d.seen & partDate
	switch {
	case d.zone.kind == zoneNamed && date != partDate && !d.zone.constant():
		return Syntax // the offset would depend on the date
	case d.zone.kind != zoneNamed && d.zone.kind != zoneFixed && date != 0 && date != partDate:
		return Syntax
	}
	return d.checkSummer()
}

// last returns the kind of the last token.
func (d *decoder) last() tokenKind { return d.t.list[d.t.n-1].kind }

func (d *decoder) timeDateToken(i int) (parts, Status) {
	text := d.t.bytes(i)
	switch {
	case i == 0 && d.t.n >= 2 && (d.last() == tokDate || d.t.list[1].kind == tokTime):
		return d.date(text)
	case !isDigit(text[0]):
		return partZone, d.namedZone(i)
	case d.seen&partTime != 0:
		return 0, Syntax
	}
	return d.timeAndZone(text, d.seen|partDate)
}

func (d *decoder) timeNumberToken(i int) (parts, Status) {
	text := d.t.bytes(i)
	if d.unit != unitNone {
		return d.labelled(text, d.seen)
	}
	point := indexByte(text, '.')
	switch {
	case point >= 0 && i == 0 && d.t.n >= 2 && d.last() == tokDate:
		return d.date(text)
	case point > 2, point < 0 && len(text) > 4:
		return d.runTogether(text, d.seen|partDate)
	case point >= 0:
		return 0, Syntax
	}
	return d.number(text, false, d.seen|partDate)
}

func (d *decoder) timeWordToken(i int) (parts, Status) {
	text := d.t.bytes(i)
	if z, ok := abbreviation(text, nil); ok {
		d.zone = z
		return z.parts(), OK
	}
	w := lookupWord(text)
	switch w.kind {
	case wordReserved:
		if w.value != wordAllBalls {
			return 0, Syntax
		}
		d.allBalls()
		return partTime | partZone, OK
	case wordMonth, wordWeekday:
		return 0, Syntax
	}
	return d.commonWord(w, i)
}
