package inputs

import (
	"strconv"
	"strings"
)

var wideColumns = []column{{"id", "integer"}, {"body", "text"}}

// wideBytes is the length of wide.body, as stored.
const wideBytes = 100_000

// words are what prose is made of. Words of other scripts and one with four-byte characters
// make a record's bytes and its characters differ.
var words = strings.Fields(`
	a about after again all also an and any are as at back be because been before box but by
	came can case city close column come could day did do down each end even every far few find first
	for found from gave give go good great group had hand hard has have he her here high him his home
	house how if in into is it its just keep kind know large last left let life light like line little
	long look made make many may men might more most mother must name near need never new next night no
	not now number of off old on one only open or order other our out over own page part people place
	plain press put quick quiet read record right river room round same saw say school second see
	sentence set she should show side small so some something sound still stop story such table take
	tell than that the their them then there these they thing think this those thought three through
	time to together too took tree turn two under until up upon us use very walk want was water way we
	weather well went were what when where which while white who why will with word work world would
	write year you young your
	café naïve über größer smörgåsbord données числа поле данные 数据 列 表 データ 값 ελληνικά 🙂`)

// appendWord appends a random word.
func appendWord(b []byte, s *stream) []byte { return append(b, words[s.below(len(words))]...) }

// appendNote appends a note: of a hundred one is empty, ten have a comma, four a quotation and
// three line feeds, one of these at the end.
func appendNote(b []byte, s *stream) []byte {
	kind, n := s.below(100), 3+s.below(7)
	if kind == 0 {
		return append(b, '"', '"')
	}
	if kind > 17 {
		return appendWords(b, s, n)
	}
	b = append(b, '"')
	b = appendWords(b, s, n/2)
	switch {
	case kind <= 10:
		b = append(b, ", "...)
		b = appendWords(b, s, n/2)
	case kind <= 14:
		b = append(b, ` ""`...)
		b = appendWords(b, s, 2)
		b = append(b, `""`...)
	case kind == 15:
		b = append(b, '\n')
		b = appendWords(b, s, n/2)
		b = append(b, '\n', '\n')
		b = appendWord(b, s)
	case kind == 16:
		b = append(b, "\r\n"...)
		b = appendWords(b, s, 2)
	default:
		b = append(b, '\n')
	}
	return append(b, '"')
}

// appendWords appends n words with spaces between them.
func appendWords(b []byte, s *stream, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendWord(b, s)
	}
	return b
}

// wideRows: id counts from 1, body is paragraphs of prose, wideBytes long before its quotes are
// doubled.
func wideRows(s *stream) func(b []byte) []byte {
	id := 0
	return func(b []byte) []byte {
		id++
		b = strconv.AppendInt(b, int64(id), 10)
		b = append(b, ',', '"')
		for left := wideBytes; left > 0; {
			w := words[s.below(len(words))]
			before, doubled := " ", 0
			switch kind := s.below(256); {
			case kind < 8:
				before = ", "
			case kind < 20:
				before = ".\n"
			case kind < 22:
				before, doubled = ` ""`, 1
			}
			if n := len(before) - doubled + len(w); n <= left {
				b = append(b, before...)
				b = append(b, w...)
				left -= n
				continue
			}
			for ; left > 0; left-- {
				b = append(b, '.')
			}
		}
		return append(b, '"', '\n')
	}
}
