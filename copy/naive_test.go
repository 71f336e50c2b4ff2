package copy

// naiveField is a field as naiveCSV reads it.
type naiveField struct {
	text, raw string
	quoted    bool
}

// naiveCSV reads CSV one byte at a time: the model that the pipeline is compared with.
// Records end at LF, CR or CRLF outside quotes, all alike; the last may lack its end. It
// returns nil in place of the fields of a record whose quotes do not close.
func naiveCSV(b []byte, delim, quote, escape byte) [][]naiveField {
	var records [][]naiveField
	for i := 0; i < len(b); {
		var rec []naiveField
		for end := false; !end; {
			var f naiveField
			start := i
			open := false
		field:
			for {
				if i == len(b) {
					end = true
					break
				}
				c := b[i]
				switch {
				case open && c == escape && i+1 < len(b) && (b[i+1] == quote || b[i+1] == escape):
					f.text += string(b[i+1 : i+2])
					i++
				case c == quote:
					open = !open
					f.quoted = true
				case !open && (c == delim || c == '\n' || c == '\r'):
					end = c != delim
					break field
				default:
					f.text += string(b[i : i+1])
				}
				i++
			}
			f.raw = string(b[start:i])
			if open {
				return append(records, nil)
			}
			if i < len(b) {
				if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
					i++
				}
				i++
			}
			rec = append(rec, f)
		}
		records = append(records, rec)
	}
	return records
}
