package pgtext

import "sort"

type wordKind uint8

const (
	wordUnknown  wordKind = iota
	wordIgnored           // at, on
	wordMonth             // value is 1 to 12
	wordWeekday           // checked for repetition only
	wordMeridiem          // value is meridiemAM or meridiemPM
	wordEra               // value is 1 for BC
	wordUnit              // the label of the next field: value is one of unit...
	wordISOTime           // T
	wordDST               // a daylight-saving modifier behind a zone
	wordReserved          // value is one of word...
)

// The reserved words that are values.
const (
	wordNone = iota
	wordEpoch
	wordInfinity
	wordNegInfinity
	wordAllBalls // 00:00:00 UTC
	wordClock    // now, today, tomorrow, yesterday
)

const (
	unitNone   = iota
	unitJulian // the next number is a Julian day
	unitTime   // the next field is a time
	unitOther  // a label that no date or time may have
)

const (
	meridiemNone = iota
	meridiemAM
	meridiemPM
)

type word struct {
	text  string
	kind  wordKind
	value int8
}

// words is sorted by text.
var words = []word{
	{"+infinity", wordReserved, wordInfinity},
	{"-infinity", wordReserved, wordNegInfinity},
	{"ad", wordEra, 0},
	{"allballs", wordReserved, wordAllBalls},
	{"am", wordMeridiem, meridiemAM},
	{"apr", wordMonth, 4},
	{"april", wordMonth, 4},
	{"at", wordIgnored, 0},
	{"aug", wordMonth, 8},
	{"august", wordMonth, 8},
	{"bc", wordEra, 1},
	{"d", wordUnit, unitOther},
	{"dec", wordMonth, 12},
	{"december", wordMonth, 12},
	{"dow", wordUnit, unitOther},
	{"doy", wordUnit, unitOther},
	{"dst", wordDST, 0},
	{"epoch", wordReserved, wordEpoch},
	{"feb", wordMonth, 2},
	{"february", wordMonth, 2},
	{"fri", wordWeekday, 5},
	{"friday", wordWeekday, 5},
	{"h", wordUnit, unitOther},
	{"infinity", wordReserved, wordInfinity},
	{"isodow", wordUnit, unitOther},
	{"isoyear", wordUnit, unitOther},
	{"j", wordUnit, unitJulian},
	{"jan", wordMonth, 1},
	{"january", wordMonth, 1},
	{"jd", wordUnit, unitJulian},
	{"jul", wordMonth, 7},
	{"julian", wordUnit, unitJulian},
	{"july", wordMonth, 7},
	{"jun", wordMonth, 6},
	{"june", wordMonth, 6},
	{"m", wordUnit, unitOther},
	{"mar", wordMonth, 3},
	{"march", wordMonth, 3},
	{"may", wordMonth, 5},
	{"mm", wordUnit, unitOther},
	{"mon", wordWeekday, 1},
	{"monday", wordWeekday, 1},
	{"nov", wordMonth, 11},
	{"november", wordMonth, 11},
	{"now", wordReserved, wordClock},
	{"oct", wordMonth, 10},
	{"october", wordMonth, 10},
	{"on", wordIgnored, 0},
	{"pm", wordMeridiem, meridiemPM},
	{"s", wordUnit, unitOther},
	{"sat", wordWeekday, 6},
	{"saturday", wordWeekday, 6},
	{"sep", wordMonth, 9},
	{"sept", wordMonth, 9},
	{"september", wordMonth, 9},
	{"sun", wordWeekday, 0},
	{"sunday", wordWeekday, 0},
	{"t", wordISOTime, unitTime},
	{"thu", wordWeekday, 4},
	{"thur", wordWeekday, 4},
	{"thurs", wordWeekday, 4},
	{"thursday", wordWeekday, 4},
	{"today", wordReserved, wordClock},
	{"tomorrow", wordReserved, wordClock},
	{"tue", wordWeekday, 2},
	{"tues", wordWeekday, 2},
	{"tuesday", wordWeekday, 2},
	{"wed", wordWeekday, 3},
	{"wednesday", wordWeekday, 3},
	{"weds", wordWeekday, 3},
	{"y", wordUnit, unitOther},
	{"yesterday", wordReserved, wordClock},
}

// lookupWord finds text, in lower case, among the words of dates and times. The zero word
// is returned for any other.
func lookupWord(text []byte) word {
	i := sort.Search(len(words), func(i int) bool { return words[i].text >= string(text) })
	if i < len(words) && words[i].text == string(text) {
		return words[i]
	}
	return word{}
}
